using NUnit.Framework;
using VectorPipe.Searching.Index;

namespace VectorPipe.Tests.Searching;

/// <summary>Thresholds are adapted to an effort, and back.</summary>
public sealed class SearchEffortTests
{
    [Test]
    public void A_restored_threshold_is_the_one_that_was_adapted([Values(0.001f, 0.05f, 0.4f, 1f, 3f)] float threshold)
    {
        foreach (SearchEffort effort in new[] { SearchEffort.Quick, SearchEffort.Default, SearchEffort.Thorough })
            Assert.That(effort.Restore(effort.Adapt(threshold)), Is.EqualTo(threshold).Within(0.01).Percent, $"{effort}");
    }
}
