using NUnit.Framework;

namespace VectorPipe.Tests.Crash;

/// <summary>Counts the faults of a campaign: a loop that ends early must not pass for one that found nothing.</summary>
internal static class FaultTally
{
    /// <summary>Prints how many faults a campaign has injected, and asserts that they are no fewer than it is meant to.</summary>
    public static void Report(string campaign, int faults, int atLeast)
    {
        TestContext.Out.WriteLine($"faults: {faults}, {campaign}");
        Assert.That(faults, Is.GreaterThanOrEqualTo(atLeast), $"faults injected: {campaign}");
    }
}
