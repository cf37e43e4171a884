using NUnit.Framework;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Data;

public sealed class ExactNeighboursTests
{
    // Worked out by hand for the query (1, 2) and the vectors (2, 0), (3, 4), (1, 2).
    [TestCase("l2", new uint[] { 2, 0, 1 }, new[] { 0f, 5f, 8f })]
    [TestCase("ip", new uint[] { 1, 2, 0 }, new[] { -11f, -5f, -2f })]
    [TestCase("cosine", new uint[] { 2, 1, 0 }, new[] { 0f, 0.0161301f, 0.5527864f })]
    public async Task Distances_are_those_of_the_metric(string metric, uint[] expectedIds, float[] expectedDistances)
    {
        using var folder = new TempFolder();
        await File.WriteAllBytesAsync(folder["base.u8bin"], [3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 3, 4, 1, 2]);
        await File.WriteAllBytesAsync(folder["query.u8bin"], [1, 0, 0, 0, 2, 0, 0, 0, 1, 2]);
        await ToolRun.SucceedAsync(
            "truth", "--base", folder["base.u8bin"], "--query", folder["query.u8bin"], "--out", folder["truth.bin"], "-k", "3", "--metric",
            metric);

        GroundTruth truth = await GroundTruth.LoadAsync(folder["truth.bin"]);
        Assert.That(truth.Ids(0).ToArray(), Is.EqualTo(expectedIds));
        Assert.That(truth.Distances(0).ToArray(), Is.EqualTo(expectedDistances).Within(1e-6f));
    }
}
