using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>Lists whose pages hold float32 vectors as float16: fewer bytes, about the same answers.</summary>
public sealed class RoundedListTests
{
    private const int Queries = 40;
    private const int K = 10;

    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    [Spread(2)]
    public async Task Far_fewer_bytes_are_read_for_about_the_same_answers([Values] DistanceMetric metric, [Values(0, 16)] int codeBytes)
    {
        using TestIndex test =
            TestIndex.BuildLists(metric, VectorElementType.Float32, count: 3000, dimension: 120, lists: 20, codeBytes: codeBytes);
        string rounded = await BuildAsync(test);
        (SearchHit[] expected, long givenBytes) = Search(test, test.Directory);
        (SearchHit[] found, long roundedBytes) = Search(test, rounded);
        int same = 0;
        for (int query = 0; query < Queries; query++)
            same += expected.AsSpan(query * K, K).ToArray().Select(hit => hit.Key)
                .Intersect(found.AsSpan(query * K, K).ToArray().Select(hit => hit.Key)).Count();

        IndexInfo info = VectorIndex.Inspect(rounded);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                (info.ElementType, info.PageElementType, info.HasOriginalVectors),
                Is.EqualTo((VectorElementType.Float32, VectorElementType.Float16, false)));
            Assert.That(same, Is.GreaterThan(Queries * K * 98 / 100));
            Assert.That(roundedBytes, codeBytes > 0 ? Is.LessThanOrEqualTo(givenBytes) : Is.LessThan(givenBytes * 3 / 4));
            Assert.That((await VectorIndex.VerifyAsync(rounded)).Defects, Is.Empty);
        }
    }

    [Test]
    public async Task Look_ups_and_exports_return_the_rounded_vectors()
    {
        using TestIndex test = TestIndex.BuildLists(type: VectorElementType.Float32, count: 1200, dimension: 120, lists: 8);
        string rounded = await BuildAsync(test);
        float[] given = [.. MemoryMarshal.Cast<byte, float>(test.Rows)];
        using VectorIndex index = VectorIndex.Open(rounded);

        // A session belongs to one thread: nothing is awaited while it is open.
        using (SearchSession session = index.OpenSession())
        {
            float[] vector = new float[120];
            Assert.That(session.TryGet<float>(7, vector), Is.True);
            Assert.That(vector, Is.EqualTo(given[(7 * 120)..(8 * 120)].Select(component => (float)(Half)component)));
        }

        IReadOnlyList<string> written = await new IndexExporter(rounded).ExportAsync(_folder.File("out"));
        float[] exported = [.. MemoryMarshal.Cast<byte, float>((await File.ReadAllBytesAsync(written[0])).AsSpan(8))];
        Assert.That(exported.Order().SequenceEqual(given.Select(component => (float)(Half)component).Order()));
    }

    [Test]
    public void A_component_that_float16_cannot_hold_is_refused_with_its_row()
    {
        float[] rows = new float[50 * 8];
        rows[(33 * 8) + 2] = 70_000;
        var builder = new VectorIndexBuilder(
            _folder.File("index"),
            new BuildOptions { Ivf = new IvfBuild(), PageElementType = VectorElementType.Float16, DropVectors = true });
        Assert.That(
            () => builder.BuildAsync(VectorSource.FromMemory<float>(rows, 8)),
            Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("33").And.Message.Contains("float16"));
    }

    private async Task<string> BuildAsync(TestIndex test)
    {
        BuildOptions options = test.Options() with { PageElementType = VectorElementType.Float16, DropVectors = true };
        await new VectorIndexBuilder(
            _folder.File("rounded"), options)
        { CalibrationQueries = test.CalibrationQueries }.BuildAsync(test.Source());
        return _folder.File("rounded");
    }

    private static (SearchHit[] Hits, long Bytes) Search(TestIndex test, string directory)
    {
        using VectorIndex index = VectorIndex.Open(directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } });
        using SearchSession session = index.OpenSession();
        float[] queries = [.. MemoryMarshal.Cast<byte, float>(test.MakeQueries(Queries))];
        var hits = new SearchHit[Queries * K];
        var statistics = new SearchStatistics[Queries];
        session.SearchMany<float>(queries, K, hits, statistics, new SearchOptions { Ivf = new IvfSearch { Probes = 8 } });
        return (hits, statistics.Sum(cost => cost.BytesRead));
    }
}
