using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Build;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.RealData;

/// <summary>Indexes of real vectors, compared with brute force.</summary>
/// <remarks>The margin below the measured values exceeds the differences between builds.</remarks>
[Category("RealData")]
[TestFixture("photosift-1m.base.u8bin", "photosift.query.u8bin", DistanceMetric.L2, VectorElementType.UInt8, 128, 0.985, 35)]
[TestFixture("doctext-25k.base.fbin", "doctext-25k.query.fbin", DistanceMetric.Cosine, VectorElementType.Float32, 384, 0.955, 55)]
public sealed class RealIndexTests(
    string baseFile, string queryFile, DistanceMetric metric, VectorElementType type, int dimension, double leastRecall, double mostReads)
{
    private const int Count = 20_000;
    private const int Queries = 200;
    private const int K = 10;

    private TemporaryFolder? _folder;
    private byte[] _rows = [];
    private byte[] _queries = [];
    private float[] _kthScores = [];

    private string Index => _folder!.File("index");

    [OneTimeSetUp]
    public async Task BuildIndex()
    {
        _rows = await RealDataFiles.RowsOrIgnoreAsync(baseFile, Count);
        _queries = await RealDataFiles.RowsOrIgnoreAsync(queryFile, Queries);
        _folder = new TemporaryFolder();
        VectorSource source = type == VectorElementType.UInt8
            ? VectorSource.FromMemory<byte>(_rows, dimension)
            : VectorSource.FromMemory<float>(MemoryMarshal.Cast<byte, float>(_rows).ToArray(), dimension);
        await new VectorIndexBuilder(
            Index,
            new BuildOptions { Metric = metric, Graph = new GraphBuild { MaxDegree = 32 }, Tuning = new BuildTuning { ListSize = 50 } })
            .BuildAsync(source);
        _kthScores = KthScores();
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _folder?.Dispose();

    [Test]
    public void Most_true_neighbours_are_found([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        SearchHit[] hits = Search(mode, out _);
        int found = 0;
        for (int i = 0; i < hits.Length; i++)
            found += IsNearest(hits[i], i / K) ? 1 : 0;
        double recall = found / (double)hits.Length;
        TestContext.Out.WriteLine($"recall@{K} {recall:P2}");
        Assert.That(recall, Is.GreaterThanOrEqualTo(leastRecall));
    }

    [Test]
    public void A_query_costs_few_reads([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        Search(mode, out SearchStatistics[] statistics);
        double reads = statistics.Average(s => s.Reads);
        TestContext.Out.WriteLine($"{reads:F1} reads a query");
        Assert.That(reads, Is.LessThanOrEqualTo(mostReads));
    }

    [Test]
    public async Task Every_page_verifies() =>
        Assert.That((await VectorIndex.VerifyAsync(Index)).Defects, Is.Empty);

    private SearchHit[] Search(SearchMode mode, out SearchStatistics[] statistics)
    {
        var hits = new SearchHit[Queries * K];
        statistics = new SearchStatistics[Queries];
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 50 }, Mode = mode };
        using VectorIndex index = VectorIndex.Open(Index);
        using SearchSession session = index.OpenSession();
        if (type == VectorElementType.UInt8)
            session.SearchMany<byte>(_queries, K, hits, statistics, options);
        else
            session.SearchMany<float>(MemoryMarshal.Cast<byte, float>(_queries), K, hits, statistics, options);
        return hits;
    }

    /// <summary>Whether a hit is as near as the k-th nearest; any of equals counts.</summary>
    private bool IsNearest(SearchHit hit, int query) =>
        metric == DistanceMetric.L2 ? hit.Score <= _kthScores[query] : hit.Score >= _kthScores[query];

    private unsafe float[] KthScores()
    {
        // Scores are those of the vectors in the pages.
        int queryBytes = dimension * type.SizeInBytes();
        IndexInfo info = VectorIndex.Inspect(Index);
        byte[] stored = new byte[Count * info.PageVectorBytes];
        VectorConversion.Convert(type, _rows, info.PageElementType, stored);
        var distance = QueryDistance.Create(metric, info.PageElementType, dimension, type);
        float[] distances = new float[Count];
        float[] kth = new float[Queries];
        fixed (byte* rows = stored)
        {
            for (int query = 0; query < Queries; query++)
            {
                distance.SetQuery(_queries.AsSpan(query * queryBytes, queryBytes));
                distance.ComputeStrided(rows, info.PageVectorBytes, Count, distances);
                Array.Sort(distances);
                kth[query] = QueryDistance.ToScore(metric, distances[K - 1]);
            }
        }

        return kth;
    }
}
