using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Reference.Vamana;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>Equal builds write equal bytes; a file of another index is refused.</summary>
public sealed class RepeatedBuildTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase(VectorElementType.UInt8, DistanceMetric.L2, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, DistanceMetric.InnerProduct, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, DistanceMetric.Cosine, new[] { 1, 3 })]
    [TestCase(VectorElementType.Float32, DistanceMetric.Cosine, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, DistanceMetric.L2, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, DistanceMetric.InnerProduct, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, DistanceMetric.Cosine, Category = "Heavy")]
    public void Any_number_of_threads_writes_the_same_bytes(VectorElementType type, DistanceMetric metric, int[]? numbers = null)
    {
        using TestIndex test = TestIndex.Build(metric, type, count: 1500);
        Dictionary<string, byte[]> one = Files(test.Directory);

        foreach (int threads in numbers ?? [1, 2, 3])
            AssertSame(Build(test, test.Options() with { Threads = threads }, $"{threads}"), one);
    }

    [Test]
    public void Vamana_writes_the_same_bytes_at_one_thread()
    {
        using TestIndex test = TestIndex.Build(count: 800);
        BuildOptions options = test.Options().In(IndexLayout.Plain);

        AssertSame(Build(test.Source(), options, "again", new VamanaBuilder()), Build(test.Source(), options, "one", new VamanaBuilder()));
    }

    [Test]
    public void A_source_in_other_pieces_writes_the_same_bytes()
    {
        using TestIndex test = TestIndex.Build(count: 700);

        AssertSame(Build(new PiecemealSource(test.Rows, test.Dimension, rows: 13), test.Options(), "piecemeal"), Files(test.Directory));
    }

    [Test]
    public void Another_vector_key_option_or_generation_makes_another_identity()
    {
        ulong[] keys = [.. Enumerable.Range(0, 400).Select(i => (ulong)i)];
        using TestIndex test = TestIndex.Build(count: 400, keys: keys);
        BuildOptions options = test.Options();
        byte[] rows = [.. test.Rows];
        rows[^1] ^= 1;
        ulong[] otherKeys = [.. keys];
        otherKeys[^1]++;

        Build(test, options, "one");
        Build(VectorSource.FromMemory<byte>(rows, test.Dimension, keys), options, "vector");
        Build(VectorSource.FromMemory<byte>(test.Rows, test.Dimension, otherKeys), options, "key");
        Build(test, options with { Metric = DistanceMetric.InnerProduct }, "metric");
        Build(test.Source(), options.In(IndexLayout.Plain), "algorithm", new VamanaBuilder());
        Build(test, options with { Seed = 2 }, "seed");
        Build(test, options.Tuned(tuning => tuning with { ListSize = 49 }), "list size");
        Build(test, options, "generation");
        Build(test, options, "generation");

        ulong[] found = [.. Directory.GetDirectories(_folder.Path).Select(directory => IndexDirectory.ReadManifest(directory).IndexId)];
        Assert.That(found, Has.Length.EqualTo(8).And.Unique);
    }

    [Test]
    [Spread(3)]
    public void A_file_of_an_index_that_differs_in_one_component_is_refused(
        [Values("nodes", "codes", "codebook", "keys", "pagegraph")] string role)
    {
        using TestIndex test = TestIndex.Build(count: 400);
        byte[] rows = [.. test.Rows];
        rows[^1] ^= 1;
        Build(test, test.Options(), "one");
        Build(VectorSource.FromMemory<byte>(rows, test.Dimension), test.Options(), "other");

        File.Copy(
            Path.Combine(_folder.File("other"), $"{role}-000001.vp"), Path.Combine(_folder.File("one"), $"{role}-000001.vp"),
            overwrite: true);

        Assert.That(
            () => VectorIndex.Open(_folder.File("one")),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected file identity"));
    }

    private Dictionary<string, byte[]> Build(TestIndex test, BuildOptions options, string name) => Build(test.Source(), options, name);

    private Dictionary<string, byte[]> Build(VectorSource source, BuildOptions options, string name, IGraphBuilder? builder = null)
    {
        new VectorIndexBuilder(_folder.File(name), options) { CalibrationQueries = 20, GraphBuilder = builder }.BuildAsync(source)
            .GetAwaiter().GetResult();
        return Files(_folder.File(name));
    }

    private static Dictionary<string, byte[]> Files(string directory) =>
        Directory.EnumerateFiles(directory).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);

    private static void AssertSame(Dictionary<string, byte[]> files, Dictionary<string, byte[]> expected)
    {
        Assert.That(files.Keys, Is.EquivalentTo(expected.Keys));
        foreach ((string name, byte[] bytes) in expected)
            Assert.That(
                files[name].AsSpan().SequenceEqual(bytes), Is.True,
                $"{name}: expected the same bytes, found others from byte {files[name].AsSpan().CommonPrefixLength(bytes)} on");
    }

    /// <summary>Delivers a few rows at a time.</summary>
    private sealed class PiecemealSource(byte[] bytes, int dimension, int rows) : VectorSource
    {
        private int _next;

        public override VectorElementType ElementType => VectorElementType.UInt8;

        public override int Dimension => dimension;

        public override long Count => bytes.Length / dimension;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, Memory<ulong> keys, CancellationToken cancellationToken = default)
        {
            int read = (int)Math.Min(rows, Count - _next);
            bytes.AsSpan(_next * Dimension, read * Dimension).CopyTo(buffer.Span);
            for (int i = 0; i < read; i++)
                keys.Span[i] = (ulong)(_next + i);
            _next += read;
            return ValueTask.FromResult(read);
        }
    }
}
