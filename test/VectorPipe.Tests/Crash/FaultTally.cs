using NUnit.Framework;

namespace VectorPipe.Tests.Crash;

/// <summary>Counts the faults of a campaign: a loop that ends early must not look like a success.</summary>
internal static class FaultTally
{
    /// <summary>Prints the number of faults that a campaign has injected, and asserts the least number.</summary>
    public static void Report(string campaign, int faults, int atLeast)
    {
        TestContext.Out.WriteLine($"faults: {faults}, {campaign}");
        Assert.That(faults, Is.GreaterThanOrEqualTo(atLeast), $"faults injected: {campaign}");
    }
}
