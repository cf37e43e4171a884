using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>Indexes whose codes are made in different ways.</summary>
internal sealed class CodeKindTests
{
    private const int K = 10, Queries = 40;

    [TestCase(DistanceMetric.L2)]
    [TestCase(DistanceMetric.Cosine, Category = "Heavy")]
    [TestCase(DistanceMetric.InnerProduct, Category = "Heavy")]
    public async Task An_index_with_rotated_codes_finds_the_nearest(DistanceMetric metric)
    {
        using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 2000, code: CodeKind.Opq);
        Assert.That(VectorIndex.Inspect(test.Directory).Code, Is.EqualTo(CodeKind.Opq));
        byte[] queries = test.MakeQueries(Queries);
        int found = 0;
        using (VectorIndex index = test.Open())
        {
            for (int i = 0; i < Queries; i++)
            {
                byte[] query = queries[(i * test.RowBytes)..((i + 1) * test.RowBytes)];
                float[] components = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(query).ToArray();
                SearchResult result =
                    await index.SearchAsync<float>(components, K, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } });
                ulong[] nearest = test.Nearest(query, K).Keys;
                found += result.Count(hit => nearest.Contains(hit.Key));
            }
        }

        Assert.That(found, Is.GreaterThan(0.95 * K * Queries));
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Empty);
    }

    [Test]
    public void Rotated_codes_come_out_the_same_at_any_number_of_threads()
    {
        using var folder = new TemporaryFolder();
        Build(
            folder.File("one"),
            (BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 12) with { Threads = 1 })
            .Tuned(tuning => tuning with { Code = CodeKind.Opq }));
        Build(
            folder.File("many"),
            (BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 12) with { Threads = 3 })
            .Tuned(tuning => tuning with { Code = CodeKind.Opq }));
        string[] files = [.. Directory.GetFiles(folder.File("one")).Select(file => Path.GetFileName(file)!)];
        foreach (string file in files)
            Assert.That(
                File.ReadAllBytes(Path.Combine(folder.File("many"), file)).AsSpan()
                .SequenceEqual(File.ReadAllBytes(Path.Combine(folder.File("one"), file))), Is.True, file);
    }

    [Test]
    public void Vectors_too_long_for_a_rotation_are_coded_without_one()
    {
        using var folder = new TemporaryFolder();
        var random = new Random(3);
        float[] rows = [.. Enumerable.Range(0, 30 * 2049).Select(_ => random.NextSingle())];
        new VectorIndexBuilder(
            folder.File("index"),
            BuildOptionsTuning.SmallGraph(degree: 8, listSize: 16, codeBytes: 8).Tuned(tuning => tuning with { Code = CodeKind.Opq }))
            .BuildAsync(VectorSource.FromMemory<float>(rows, 2049)).GetAwaiter().GetResult();
        Assert.That(VectorIndex.Inspect(folder.File("index")).Code, Is.EqualTo(CodeKind.Pq));
    }

    private static void Build(string directory, BuildOptions options)
    {
        var random = new Random(4);
        float[] rows = [.. Enumerable.Range(0, 1000 * 40).Select(i => random.NextSingle() * (1 + (i % 40)))];
        new VectorIndexBuilder(directory, options) { CalibrationQueries = 20 }.BuildAsync(VectorSource.FromMemory<float>(rows, 40))
            .GetAwaiter().GetResult();
    }
}
