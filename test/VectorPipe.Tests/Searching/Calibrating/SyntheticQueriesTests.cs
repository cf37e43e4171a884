using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>Queries are made a block at a time, so that neither their number nor their length is more than an array holds.</summary>
[TestFixture(IndexKind.Graph)]
[TestFixture(IndexKind.Ivf)]
public sealed class SyntheticQueriesTests(IndexKind kind)
{
    private const int Count = 150;

    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = kind == IndexKind.Graph
        ? TestIndex.Build(DistanceMetric.Cosine, VectorElementType.Float32, count: 800)
        : TestIndex.BuildLists(DistanceMetric.Cosine, VectorElementType.Float32, count: 800, lists: 10);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void They_are_the_same_whatever_the_number_that_is_made_together(
        [Values(1, 7, SyntheticQueries<float>.BlockQueries, 1000)] int blockQueries)
    {
        float[][] blocks = Make(blockQueries);
        int[] lengths = [.. blocks.Select(block => block.Length / _test.Dimension)];
        Assert.That(lengths[..^1], Is.All.EqualTo(blockQueries));
        Assert.That(lengths.Sum(), Is.EqualTo(Count));
        Assert.That(blocks.SelectMany(block => block), Is.EqualTo(Make(Count).Single()));
    }

    [Test]
    public void What_is_held_of_the_longest_vectors_is_no_more_than_an_array_holds()
    {
        const long Longest = SchemaLimits.MaxDimension * sizeof(float);
        Assert.That(SyntheticQueries<float>.MemoryBytes(SyntheticQueries<float>.BlockQueries, Longest), Is.LessThan(int.MaxValue / 4));

        // Of the most queries that may be asked for it is little more than they are themselves.
        Assert.That(SyntheticQueries<float>.MemoryBytes(100_000, Longest), Is.InRange(100_000 * Longest, 101_000 * (Longest + 64)));
    }

    private float[][] Make(int blockQueries)
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        return SyntheticQueries<float>.Make(session, index.Contents, Count, CancellationToken.None, blockQueries);
    }
}
