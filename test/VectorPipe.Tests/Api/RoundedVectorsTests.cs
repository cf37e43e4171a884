using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Numerics.Distances;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>Searches find float32 vectors that pages hold as float16, and look-ups return them bit for bit.</summary>
internal sealed class RoundedVectorsTests
{
    private const int CalibrationQueries = 20;

    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    [Spread(3)]
    public async Task Recall_and_reads_equal_those_of_original_vectors([Values] DistanceMetric metric)
    {
        const int queries = 60, k = 10;
        using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 1500, dimension: 64);
        byte[] rows = test.MakeQueries(queries);
        float[] last = [.. Enumerable.Range(0, queries).Select(i => test.Nearest(rows.AsSpan(i * test.RowBytes, test.RowBytes), k).Last)];
        var exact = QueryDistance.Create(metric, VectorElementType.Float32, test.Dimension);

        // Pages of either form hold the links of all nodes, so that searches of both read the same.
        BuildOptions options = test.Options().WithGraph(graph => graph with { PageSize = 4096 })
            .Tuned(tuning => tuning with { NodesPerPage = 8, ReplicasPerPage = 0 });
        (double given, double givenReads) = await MeasureAsync(options with { PageElementType = VectorElementType.Float32 });
        (double rounded, double roundedReads) = await MeasureAsync(options with { PageElementType = VectorElementType.Float16 });

        Assert.That(given, Is.GreaterThan(0.9));
        Assert.That(rounded, Is.EqualTo(given).Within(0.001));
        Assert.That(roundedReads, Is.EqualTo(givenReads).Within(0.01 * givenReads));

        async Task<(double Recall, double Reads)> MeasureAsync(BuildOptions options)
        {
            string directory = await BuildAsync(test.Source(), options);
            using VectorIndex index =
                VectorIndex.Open(directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } });
            using SearchSession session = index.OpenSession();
            var hits = new SearchHit[queries * k];
            var statistics = new SearchStatistics[queries];
            session.SearchMany<float>(
                MemoryMarshal.Cast<byte, float>(rows), k, hits, statistics,
                new SearchOptions { Graph = new GraphSearch { ListSize = 40 }, Mode = SearchMode.Beam });
            int found = Enumerable.Range(0, queries).Sum(i => hits.AsSpan(i * k, k).ToArray().Count(hit => IsFound(i, hit.Key)));
            return ((double)found / (queries * k), statistics.Average(query => query.Reads));
        }

        // A vector counts if it is as near as the last of the answer, within the error of rounding.
        unsafe bool IsFound(int query, ulong key)
        {
            Span<float> distance = stackalloc float[1];
            exact.SetQuery(rows.AsSpan(query * test.RowBytes, test.RowBytes));
            fixed (byte* vector = test.Rows.AsSpan((int)key * test.RowBytes, test.RowBytes))
                exact.ComputeStrided(vector, test.RowBytes, 1, distance);
            return distance[0] <= last[query] + (1e-3 * Math.Abs(last[query]));
        }
    }

    [TestCase(768, CodeKind.Pq)]
    [TestCase(1536, CodeKind.Pq, Category = "Heavy")]
    [TestCase(384, CodeKind.Opq, Category = "Heavy")]
    [TestCase(4000, CodeKind.Opq, Category = "Heavy")]
    [TestCase(768, CodeKind.Opq, Category = "Heavy")]
    [TestCase(1536, CodeKind.Opq, Category = "Heavy")]
    public async Task Long_vectors_are_built_verified_found_and_returned(int dimension, CodeKind code)
    {
        using TestIndex test =
            TestIndex.Build(DistanceMetric.Cosine, VectorElementType.Float32, count: 300, dimension: dimension, code: code);
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Empty);
        IndexInfo info = VectorIndex.Inspect(test.Directory);
        Assert.That(
            (info.PageElementType, info.HasOriginalVectors, info.PageVectorBytes),
            Is.EqualTo((VectorElementType.Float16, true, 2 * dimension)));

        using VectorIndex index = test.Open();
        for (int row = 0; row < test.Count; row += 29)
        {
            float[] query = [.. MemoryMarshal.Cast<byte, float>(test.Rows.AsSpan(row * test.RowBytes, test.RowBytes))];
            SearchResult result = await index.SearchAsync<float>(query, 1);
            Assert.That((result[0].Key, result[0].Score), Is.EqualTo(((ulong)row, 1f)).Within(1e-3));
            VectorRecord? record = await index.GetAsync((ulong)row, withLinks: true);
            Assert.That(record!.GetVector<float>().ToArray(), Is.EqualTo(query), "bit for bit");
            Assert.That((record.Reads, record.Links.Length > 0), Is.EqualTo((3, true)), "directory, vector, links");
            VectorRecord? bare = await index.GetAsync((ulong)row);
            Assert.That(bare!.Reads, Is.EqualTo(2));
        }
    }

    [Test]
    [Spread(3)]
    public async Task A_score_is_as_exact_as_documented([Values] DistanceMetric metric)
    {
        using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 2000, dimension: 48);
        using VectorIndex index = test.Open();
        float[] query = [.. MemoryMarshal.Cast<byte, float>(test.MakeQueries(1))];
        SearchResult result = await index.SearchAsync<float>(query, 20);
        foreach (SearchHit hit in result)
        {
            float[] vector = [.. MemoryMarshal.Cast<byte, float>(test.Rows.AsSpan((int)hit.Key * test.RowBytes, test.RowBytes))];
            double norms = Math.Sqrt(vector.Sum(x => (double)x * x) * query.Sum(x => (double)x * x));
            double difference = Math.Sqrt(vector.Zip(query, (a, b) => ((double)a - b) * (a - b)).Sum());
            double dot = vector.Zip(query, (a, b) => (double)a * b).Sum();
            (double exact, double scale) = metric switch
            {
                DistanceMetric.L2 => (difference * difference, difference * Math.Sqrt(vector.Sum(x => (double)x * x))),
                DistanceMetric.InnerProduct => (dot, norms),
                _ => (dot / norms, 1),
            };
            Assert.That(hit.Score, Is.EqualTo(exact).Within(1e-3 * scale));
        }
    }

    [Test]
    public async Task Dropped_vectors_come_back_rounded()
    {
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 400);
        string directory = await BuildAsync(test.Source(), test.Options() with { DropVectors = true });

        Assert.That(Directory.GetFiles(directory, "vectors-*"), Is.Empty);
        Assert.That(VectorIndex.Inspect(directory).HasOriginalVectors, Is.False);
        Assert.That((await VectorIndex.VerifyAsync(directory)).IsSound, Is.True);
        float[] rounded = [.. MemoryMarshal.Cast<byte, float>(test.Rows).ToArray().Select(value => (float)(Half)value)];
        using (VectorIndex index = VectorIndex.Open(directory))
        {
            int links = 0;
            for (int row = 0; row < 20; row++)
            {
                VectorRecord? record = await index.GetAsync((ulong)row, withLinks: true);
                Assert.That(
                    record!.GetVector<float>().ToArray(), Is.EqualTo(rounded.AsSpan(row * test.Dimension, test.Dimension).ToArray()));
                Assert.That(record.Reads, Is.EqualTo(2));
                links += record.Links.Length;
            }

            Assert.That(links, Is.Positive);
        }

        IReadOnlyList<string> written = await new IndexExporter(directory).ExportAsync(_folder.File("dropped"));
        Assert.That((await File.ReadAllBytesAsync(written[0])).Length, Is.EqualTo(8 + test.Rows.Length));
    }

    [Test]
    public async Task An_export_has_the_original_vectors()
    {
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 700);
        IReadOnlyList<string> written = await new IndexExporter(test.Directory).ExportAsync(_folder.File("export"));

        byte[] vectors = (await File.ReadAllBytesAsync(written[0]))[8..];
        ulong[] keys = MemoryMarshal.Cast<byte, ulong>((await File.ReadAllBytesAsync(written[1])).AsSpan(^(8 * test.Count)..)).ToArray();
        for (int row = 0; row < test.Count; row++)
        {
            ReadOnlySpan<byte> expected = test.Rows.AsSpan((int)keys[row] * test.RowBytes, test.RowBytes);
            Assert.That(vectors.AsSpan(row * test.RowBytes, test.RowBytes).SequenceEqual(expected), Is.True, $"row {row}, key {keys[row]}");
        }
    }

    [Test]
    public async Task Vectors_beyond_the_range_are_not_rounded_and_the_log_says_why()
    {
        float[] rows = Rows(600, 32);
        rows[123] = 1e5f;
        var messages = new RecordingLogger();
        using var logging = new OneLoggerFactory(messages);
        string directory = Path.Combine(_folder.Path, "wide");
        await new VectorIndexBuilder(directory, new BuildOptions { Threads = 1 }, logging)
            .BuildAsync(VectorSource.FromMemory<float>(rows, 32));

        Assert.That(messages.Messages, Has.One.Contains("65,504").And.One.Contains("original vectors"));
        Assert.That(VectorIndex.Inspect(directory).PageElementType, Is.EqualTo(VectorElementType.Float32));
        Assert.That(Directory.GetFiles(directory, "vectors-*"), Is.Empty);
        Assert.That((await VectorIndex.VerifyAsync(directory)).IsSound, Is.True);
        using VectorIndex index = VectorIndex.Open(directory);
        VectorRecord? record = await index.GetAsync(123 / 32);
        Assert.That(record!.GetVector<float>()[123 % 32], Is.EqualTo(1e5f));
    }

    [Test]
    public async Task Requested_rounding_names_the_row_with_a_component_beyond_the_range()
    {
        float[] rows = Rows(600, 32);
        rows[(50 * 32) + 3] = -70_000;
        InvalidVectorException? error = await Assert.ThrowsAsync<InvalidVectorException>(
            () =>
            BuildAsync(
                VectorSource.FromMemory<float>(rows, 32), new BuildOptions { PageElementType = VectorElementType.Float16, Threads = 1 }));
        Assert.That(
            (error!.Row, error.Message),
            Is.EqualTo((50L, "Row 50: expected components of at most 65,504 in magnitude for float16, found 70000.")));
    }

    [Test]
    public async Task Requested_rounding_may_lose_precision()
    {
        float[] rows = [.. Rows(600, 32).Select(value => 1000 + value)];
        string automatic = await BuildAsync(VectorSource.FromMemory<float>(rows, 32), new BuildOptions { Threads = 1 });
        Assert.That(VectorIndex.Inspect(automatic).PageElementType, Is.EqualTo(VectorElementType.Float32));
        string demanded = await BuildAsync(
            VectorSource.FromMemory<float>(rows, 32), new BuildOptions { PageElementType = VectorElementType.Float16, Threads = 1 });
        Assert.That(VectorIndex.Inspect(demanded).PageElementType, Is.EqualTo(VectorElementType.Float16));
        Assert.That((await VectorIndex.VerifyAsync(demanded)).IsSound, Is.True);
    }

    private static float[] Rows(int count, int dimension)
    {
        var random = new Random(5);
        return [.. Enumerable.Range(0, count * dimension).Select(_ => (float)random.NextDouble() - 0.5f)];
    }

    private async Task<string> BuildAsync(VectorSource source, BuildOptions options)
    {
        string directory = Path.Combine(_folder.Path, Guid.NewGuid().ToString("N"));
        await new VectorIndexBuilder(directory, options) { CalibrationQueries = CalibrationQueries }.BuildAsync(source);
        return directory;
    }
}
