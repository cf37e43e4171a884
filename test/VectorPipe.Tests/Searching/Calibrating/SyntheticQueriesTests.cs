using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>Queries are made in blocks, so that no array overflows for any number or length of queries.</summary>
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
    [Spread(2)]
    public void Queries_do_not_depend_on_the_size_of_a_block(
        [Values(1, 7, SyntheticQueries<float>.BlockQueries, 1000)] int blockQueries)
    {
        float[][] blocks = Make(blockQueries);
        int[] lengths = [.. blocks.Select(block => block.Length / _test.Dimension)];
        Assert.That(lengths[..^1], Is.All.EqualTo(blockQueries));
        Assert.That(lengths.Sum(), Is.EqualTo(Count));
        Assert.That(blocks.SelectMany(block => block), Is.EqualTo(Make(Count).Single()));
    }

    [Test]
    public void A_block_of_the_longest_vectors_fits_into_an_array()
    {
        const long Longest = SchemaLimits.MaxDimension * sizeof(float);
        Assert.That(SyntheticQueries<float>.MemoryBytes(SyntheticQueries<float>.BlockQueries, Longest), Is.LessThan(int.MaxValue / 4));

        // For the largest number of queries it is little more than the queries.
        Assert.That(SyntheticQueries<float>.MemoryBytes(100_000, Longest), Is.InRange(100_000 * Longest, 101_000 * (Longest + 64)));
    }

    private float[][] Make(int blockQueries)
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        return SyntheticQueries<float>.Make(session, index.Contents, Count, CancellationToken.None, blockQueries);
    }
}
