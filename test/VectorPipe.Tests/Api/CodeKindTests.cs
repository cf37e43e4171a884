using NUnit.Framework;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Searching;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>Indexes whose codes are made in different ways.</summary>
internal sealed class CodeKindTests
{
    private const int K = 10, Queries = 40;

    [Test]
    public async Task An_index_with_rotated_codes_finds_the_nearest([Values] DistanceMetric metric, [Values(CodeKind.Opq, CodeKind.RaBitQ)] CodeKind kind)
    {
        using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 2000);
        new VectorIndexBuilder(test.Directory, test.Options() with { Code = kind }).BuildAsync(test.Source()).GetAwaiter().GetResult();
        Assert.That(VectorIndex.Inspect(test.Directory).Code, Is.EqualTo(kind));
        byte[] queries = test.MakeQueries(Queries);
        int found = 0;
        using (VectorIndex index = test.Open())
        {
            for (int i = 0; i < Queries; i++)
            {
                byte[] query = queries[(i * test.RowBytes)..((i + 1) * test.RowBytes)];
                float[] components = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(query).ToArray();
                using SearchResult result = await index.SearchAsync<float>(components, K, new SearchOptions { ListSize = 60 });
                ulong[] nearest = test.Nearest(query, K).Keys;
                found += result.Hits.ToArray().Count(hit => nearest.Contains(hit.Key));
            }
        }

        Assert.That(found, Is.GreaterThan(0.95 * K * Queries));
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Empty);
    }

    [Test]
    public void Rotated_codes_come_out_the_same_at_any_number_of_threads([Values(CodeKind.Opq, CodeKind.RaBitQ)] CodeKind kind)
    {
        using var folder = new TemporaryFolder();
        Build(folder.File("one"), new BuildOptions { MaxDegree = 16, ListSize = 32, CodeBytes = 12, Code = kind, Threads = 1 });
        Build(folder.File("many"), new BuildOptions { MaxDegree = 16, ListSize = 32, CodeBytes = 12, Code = kind, Threads = 3 });
        string[] files = [.. Directory.GetFiles(folder.File("one")).Select(file => Path.GetFileName(file)!)];
        foreach (string file in files)
            Assert.That(File.ReadAllBytes(Path.Combine(folder.File("many"), file)), Is.EqualTo(File.ReadAllBytes(Path.Combine(folder.File("one"), file))), file);
    }

    [Test]
    public void Vectors_too_long_for_a_rotation_are_coded_without_one()
    {
        using var folder = new TemporaryFolder();
        var random = new Random(3);
        float[] rows = [.. Enumerable.Range(0, 30 * 2049).Select(_ => random.NextSingle())];
        new VectorIndexBuilder(folder.File("index"), new BuildOptions { MaxDegree = 8, ListSize = 16, CodeBytes = 8, Code = CodeKind.Opq })
            .BuildAsync(VectorSource.FromMemory<float>(rows, 2049)).GetAwaiter().GetResult();
        Assert.That(VectorIndex.Inspect(folder.File("index")).Code, Is.EqualTo(CodeKind.Pq));
    }

    [Test]
    public async Task An_index_of_RaBitQ_codes_is_calibrated_and_searched_for_a_recall()
    {
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 2000);
        new VectorIndexBuilder(test.Directory, test.Options() with { Code = CodeKind.RaBitQ }).BuildAsync(test.Source()).GetAwaiter().GetResult();
        Assert.That(VectorIndex.Inspect(test.Directory).Calibration, Is.Not.Null);
        using VectorIndex index = test.Open();
        byte[] query = test.MakeQueries(1);
        float[] components = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(query).ToArray();
        using SearchResult result = await index.SearchAsync<float>(components, K, new SearchOptions { TargetRecall = 0.95f });
        Assert.That(result.Hits.ToArray().Select(hit => hit.Key).Intersect(test.Nearest(query, K).Keys).Count(), Is.GreaterThanOrEqualTo(K - 2));
    }

    [Test]
    public void RaBitQ_codes_of_less_than_a_bit_a_component_are_refused_with_what_would_do()
    {
        using var folder = new TemporaryFolder();
        var builder = new VectorIndexBuilder(folder.File("index"), new BuildOptions { CodeBytes = 8, Code = CodeKind.RaBitQ });
        ArgumentOutOfRangeException? error = Assert.Throws<ArgumentOutOfRangeException>(() => builder.BuildAsync(VectorSource.FromMemory<float>(new float[40 * 100], 40)).GetAwaiter().GetResult());
        Assert.That(error!.Message, Does.Contain("9 or more").And.Contain("40"));
        builder = new VectorIndexBuilder(folder.File("index"), new BuildOptions { Code = CodeKind.RaBitQ });
        error = Assert.Throws<ArgumentOutOfRangeException>(() => builder.BuildAsync(VectorSource.FromMemory<float>(new float[4 * 100], 4)).GetAwaiter().GetResult());
        Assert.That(error!.Message, Does.Contain("Pq or Opq"));
    }

    private static void Build(string directory, BuildOptions options)
    {
        var random = new Random(4);
        float[] rows = [.. Enumerable.Range(0, 1500 * 40).Select(i => random.NextSingle() * (1 + (i % 40)))];
        new VectorIndexBuilder(directory, options).BuildAsync(VectorSource.FromMemory<float>(rows, 40)).GetAwaiter().GetResult();
    }
}
