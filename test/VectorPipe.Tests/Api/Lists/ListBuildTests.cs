using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>Builds of an IVF index are reproducible, cancellable and planned.</summary>
public sealed class ListBuildTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    [Spread(2)]
    public void Any_number_of_threads_writes_the_same_bytes(
        [Values(
            VectorElementType.UInt8,
            VectorElementType.Float32)] VectorElementType type, [Values] DistanceMetric metric, [Values(0, 8)] int codeBytes)
    {
        using TestIndex test = TestIndex.BuildLists(metric, type, count: 1500, codeBytes: codeBytes);
        Dictionary<string, byte[]> one = Files(test.Directory);
        foreach (int threads in new[] { 2, 3 })
        {
            Dictionary<string, byte[]> files = Build(test, test.Options() with { Threads = threads }, $"{threads}");
            Assert.That(files.Keys, Is.EquivalentTo(one.Keys));
            foreach ((string name, byte[] bytes) in one)
                Assert.That(files[name].AsSpan().SequenceEqual(bytes), Is.True, $"{name} at {threads} threads");
        }
    }

    [Test]
    public void Another_vector_or_option_makes_another_identity()
    {
        using TestIndex test = TestIndex.BuildLists(count: 400, lists: 6);
        Build(test, test.Options(), "one");
        Build(test, test.Options().WithLists(lists => lists with { Lists = 7 }), "lists");
        Build(test, test.Options().WithLists(lists => lists with { PageSize = 8192 }), "page");
        Build(test, test.Options().WithLists(lists => lists with { Coded = true }), "codes");
        Build(test, test.Options() with { Metric = DistanceMetric.Cosine }, "metric");
        test.Rows[^1] ^= 1;
        Build(test, test.Options(), "vector");

        ulong[] found = [.. Directory.GetDirectories(_folder.Path).Select(directory => IndexDirectory.ReadManifest(directory).IndexId)];
        Assert.That(found, Has.Length.EqualTo(6).And.Unique);
    }

    [Test]
    public void An_IVF_index_and_a_graph_replace_each_other()
    {
        using TestIndex test = TestIndex.Build(count: 300);
        BuildOptions lists = new() { Ivf = new IvfBuild(), Threads = 1 };
        var kinds = new List<IndexKind>();
        foreach (BuildOptions options in new[] { lists, test.Options(), lists })
        {
            new VectorIndexBuilder(test.Directory, options) { CalibrationQueries = 50 }.BuildAsync(test.Source()).GetAwaiter().GetResult();
            kinds.Add(VectorIndex.Inspect(test.Directory).Kind);
            string[] named = [.. IndexDirectory.ReadManifest(test.Directory).Files.Select(file => file.Name)];
            Assert.That(Directory.GetFiles(test.Directory, "*.vp").Select(Path.GetFileName), Is.EquivalentTo(named));
        }

        Assert.That(kinds, Is.EqualTo(new[] { IndexKind.Ivf, IndexKind.Graph, IndexKind.Ivf }));
    }

    [Test]
    public void Cancellation_in_any_phase_leaves_the_old_index(
        [Values("read", "lists: divide", "shuffle", "write", "calibrate")] string phase)
    {
        using TestIndex test = TestIndex.BuildLists(count: 4000);
        Dictionary<string, byte[]> before = Files(test.Directory);
        using var cancellation = new CancellationTokenSource();
        var progress = new ImmediateProgress(value =>
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        });

        Assert.That(
            () => new VectorIndexBuilder(test.Directory, test.Options()).BuildAsync(test.Source(), progress, cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Files(test.Directory).Keys, Is.EquivalentTo(before.Keys));
    }

    [Test]
    public void A_plan_names_the_phases_and_bounds_the_index()
    {
        using TestIndex test = TestIndex.BuildLists(count: 3000, codeBytes: 8);
        BuildPlan plan = new VectorIndexBuilder(test.Directory, test.Options()).Plan(test.Source());
        BuildReport report = test.Rebuild();

        using (Assert.EnterMultipleScope())
        {
            Assert.That(plan.Phases.Select(phase => phase.Name), Is.EqualTo(report.Phases.Select(phase => phase.Name)));
            Assert.That(plan.IndexBytes, Is.GreaterThan(report.IndexBytes * 9 / 10));

            // The rest is room for whole pages, for checksums and for the place of each list.
            Assert.That(plan.ScratchBytes, Is.InRange(report.ScratchBytesWritten, report.ScratchBytesWritten + (8 * PageCodec.PageUnit)));
        }
    }

    private Dictionary<string, byte[]> Build(TestIndex test, BuildOptions options, string name)
    {
        new VectorIndexBuilder(_folder.File(name), options) { CalibrationQueries = test.CalibrationQueries }.BuildAsync(test.Source())
            .GetAwaiter().GetResult();
        return Files(_folder.File(name));
    }

    private static Dictionary<string, byte[]> Files(string directory) =>
        Directory.EnumerateFiles(directory).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);

    private sealed class ImmediateProgress(Action<BuildProgress> report) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => report(value);
    }
}
