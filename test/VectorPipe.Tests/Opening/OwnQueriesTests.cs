using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Opening;

/// <summary>An index is calibrated with queries of the program, which are unlike its vectors.</summary>
[TestFixture(IndexKind.Graph)]
[TestFixture(IndexKind.Ivf)]
internal sealed class OwnQueriesTests(IndexKind kind)
{
    private const int Count = 3000;
    private const int Dimension = 24;
    private const int Queries = 150;
    private const int K = 10;

    private TestIndex _test = null!;
    private byte[] _built = null!;

    // The manifest after a calibration with own queries, for tests that need no other.
    private byte[] _calibrated = [];

    private string ManifestPath => Path.Combine(_test.Directory, IndexDirectory.ManifestName);

    [OneTimeSetUp]
    public void Build()
    {
        _test = kind == IndexKind.Graph
            ? TestIndex.Build(type: VectorElementType.Float32, count: Count, dimension: Dimension, code: CodeKind.Pq)
            // Six vectors a list: a search of one list finds fewer than ten.
            : TestIndex.BuildLists(
                type: VectorElementType.Float32, count: Count, dimension: Dimension, lists: 500, calibrationQueries: 128);
        _built = File.ReadAllBytes(ManifestPath);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [SetUp]
    public void Restore() => File.WriteAllBytes(ManifestPath, _built);

    [TestCase(4)]
    [TestCase(1, Category = "Heavy")]
    public async Task The_table_is_what_searches_for_these_queries_find(int every)
    {
        float[] queries = Between(Queries, seed: 1);
        IndexInfo before = VectorIndex.Inspect(_test.Directory);
        await using VectorSource source = VectorSource.FromMemory(queries, Dimension);
        IndexInfo after = await VectorIndex.CalibrateAsync(_test.Directory, source);
        Assert.That(VectorIndex.Inspect(_test.Directory).Calibration, Is.EqualTo(after.Calibration), "the manifest keeps the table");
        Assert.That(after.Calibration, Is.Not.Empty.And.Not.EqualTo(before.Calibration));

        // An index is calibrated as on a device of unknown cost.
        await using VectorIndex index = await VectorIndex.OpenAsync(
            _test.Directory, new OpenOptions { DeviceKind = DeviceKind.Memory, ReadCostUs = 30 });
        foreach (IndexCalibrationPoint point in after.Calibration.Where((_, i) => i == 0 || i % every == every / 2))
        {
            var options = kind == IndexKind.Graph
                ? new SearchOptions { Graph = new GraphSearch { Threshold = (float)point.Threshold }, Mode = SearchMode.Beam }
                : new SearchOptions { Ivf = new IvfSearch { Probes = (int)point.Threshold } };
            Assert.That(Recall(index, queries, options), Is.EqualTo(point.Recall).Within(0.002), $"{point}");
        }
    }

    [Test]
    [Spread(2)]
    public async Task A_target_recall_holds_for_other_queries_of_their_kind([Values(0.8f, 0.9f, 0.95f)] float recall)
    {
        if (_calibrated.Length == 0)
        {
            await using VectorSource source = VectorSource.FromMemory(Between(400, seed: 1), Dimension);
            await VectorIndex.CalibrateAsync(_test.Directory, source);
            _calibrated = await File.ReadAllBytesAsync(ManifestPath);
        }

        await File.WriteAllBytesAsync(ManifestPath, _calibrated);
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        Assert.That(
            Recall(index, Between(Queries, seed: 2), new SearchOptions { TargetRecall = recall }), Is.GreaterThan(recall - 0.04f),
            $"table: {string.Join("; ", index.Info.Calibration)}");
    }

    [Test]
    public async Task Queries_that_do_not_fit_change_nothing()
    {
        float[] queries = Between(Queries, seed: 1), damaged = [.. queries];
        damaged[(70 * Dimension) + 3] = float.NaN;
        await AssertRefusedAsync(VectorSource.FromMemory(new byte[Queries * Dimension], Dimension), "Float32 with 24", "UInt8 with 24");
        await AssertRefusedAsync(VectorSource.FromMemory(queries, Dimension / 2), "Float32 with 24", "Float32 with 12");
        await AssertRefusedAsync(VectorSource.FromMemory(damaged, Dimension), "Row 70", "NaN at component 3");
        await AssertRefusedAsync(new WrongCount(queries, announced: Queries + 1), "Expected 151 queries", "found 150");
        await AssertRefusedAsync(new WrongCount(queries, announced: Queries - 1), "Expected 149 queries", "found more");
        await using VectorSource few = VectorSource.FromMemory<float>(queries.AsMemory(0, 99 * Dimension), Dimension);
        await Assert.ThatAsync(
            () => VectorIndex.CalibrateAsync(_test.Directory, few),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("99").And.Message.Contains("100 to 100,000"));
        AssertUnchanged();
    }

    [Test]
    public async Task A_cancellation_changes_nothing()
    {
        using var cancellation = new CancellationTokenSource();
        await using VectorSource source = VectorSource.FromMemory(Between(Queries, seed: 1), Dimension);
        var progress = new HookedProgress("calibrate", 3, cancellation.Cancel);
        await Assert.ThatAsync(
            () => VectorIndex.CalibrateAsync(_test.Directory, source, progress, cancellationToken: cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        AssertUnchanged();
    }

    private async Task AssertRefusedAsync(VectorSource source, params string[] words)
    {
        await using (source)
        {
            InvalidVectorException? error =
                await Assert.ThrowsAsync<InvalidVectorException>(() => VectorIndex.CalibrateAsync(_test.Directory, source));
            foreach (string word in words)
                Assert.That(error!.Message, Does.Contain(word));
        }

        AssertUnchanged();
    }

    private void AssertUnchanged() => Assert.That(File.ReadAllBytes(ManifestPath), Is.EqualTo(_built));

    // Halfway between two vectors, where there are none.
    private float[] Between(int count, int seed)
    {
        ReadOnlySpan<float> rows = MemoryMarshal.Cast<byte, float>(_test.Rows);
        var random = new Random(seed);
        var queries = new float[count * Dimension];
        for (int i = 0; i < count; i++)
        {
            int a = random.Next(Count) * Dimension, b = random.Next(Count) * Dimension;
            for (int j = 0; j < Dimension; j++)
                queries[(i * Dimension) + j] = (rows[a + j] + rows[b + j]) / 2;
        }

        return queries;
    }

    private double Recall(VectorIndex index, float[] queries, SearchOptions options)
    {
        byte[] bytes = MemoryMarshal.AsBytes(queries.AsSpan()).ToArray();
        using SearchSession session = index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, _test, bytes, K, options);
        return TypedSearch.Recall(_test, bytes, K, hits, statistics);
    }

    /// <summary>Rows in memory that are not as many as announced.</summary>
    private sealed class WrongCount(float[] rows, int announced) : VectorSource
    {
        private readonly VectorSource _rows = FromMemory(rows, OwnQueriesTests.Dimension);

        public override VectorElementType ElementType => _rows.ElementType;

        public override int Dimension => _rows.Dimension;

        public override long Count => announced;

        public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default) =>
            _rows.ReadAsync(rows, keys, cancellationToken);
    }
}
