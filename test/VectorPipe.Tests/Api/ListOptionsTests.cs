using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Searching;

namespace VectorPipe.Tests.Api;

/// <summary>Options that do not go with a kind of index are refused before anything is touched.</summary>
public sealed class ListOptionsTests
{
    private static readonly (string Name, Func<BuildOptions, BuildOptions> Change)[] _forLists =
    [
        (nameof(BuildOptions.Lists), options => options with { Lists = 0 }),
        (nameof(BuildOptions.Lists), options => options with { Lists = 51 }),
        (nameof(BuildOptions.Layout), options => options with { Layout = IndexLayout.Merged }),
        (nameof(BuildOptions.NodesPerPage), options => options with { NodesPerPage = 3 }),
        (nameof(BuildOptions.ReplicasPerPage), options => options with { ReplicasPerPage = 3 }),
        (nameof(BuildOptions.PageGraphBytes), options => options with { PageGraphBytes = 5 }),
        (nameof(BuildOptions.PageVectors), options => options with { PageVectors = PageVectors.Float16 }),
        (nameof(BuildOptions.CodeBytes), options => options with { CodeBytes = 8 }),
        (nameof(BuildOptions.PageSize), options => options with { PageSize = 1000 }),
    ];

    [Test]
    public void Options_of_graphs_are_refused_for_lists([Range(0, 8)] int which)
    {
        using var folder = new Formats.TemporaryFolder();
        (string name, Func<BuildOptions, BuildOptions> change) = _forLists[which];
        var builder = new VectorIndexBuilder(folder.File("index"), change(new BuildOptions { Kind = IndexKind.Ivf }));

        Assert.That(() => builder.Plan(VectorSource.FromMemory<byte>(new byte[50 * 16], 16)), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains(name));
    }

    [Test]
    public void Options_of_lists_are_refused_for_graphs([Values] bool isCoded)
    {
        using var folder = new Formats.TemporaryFolder();
        var builder = new VectorIndexBuilder(folder.File("index"), isCoded ? new BuildOptions { CodedLists = true } : new BuildOptions { Lists = 5 });

        Assert.That(
            () => builder.Plan(VectorSource.FromMemory<byte>(new byte[50 * 16], 16)),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains(isCoded ? nameof(BuildOptions.CodedLists) : nameof(BuildOptions.Lists)));
    }

    [Test]
    public void Search_options_of_graphs_are_refused_for_lists()
    {
        using TestIndex test = TestIndex.BuildLists(count: 200, lists: 4);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using (Assert.EnterMultipleScope())
        {
            AssertRefused(index, test, new SearchOptions { Policy = SearchPolicy.Gain }, nameof(SearchOptions.Policy));
            AssertRefused(index, test, new SearchOptions { TargetRecall = 0.9f }, nameof(SearchOptions.TargetRecall));
            AssertRefused(index, test, new SearchOptions { Probes = 0 }, nameof(SearchOptions.Probes));
            AssertRefused(index, test, new SearchOptions { ListSize = 2 }, nameof(SearchOptions.ListSize));
            AssertRefused(index, test, new SearchOptions { Threshold = 0 }, nameof(SearchOptions.Threshold));
        }
    }

    [Test]
    public void Probes_are_refused_for_graphs()
    {
        using TestIndex test = TestIndex.Build(count: 200);
        using VectorIndex index = test.Open(DeviceKind.Memory);

        AssertRefused(index, test, new SearchOptions { Probes = 3 }, nameof(SearchOptions.Probes));
    }

    [Test]
    public void Too_few_vectors_are_not_calibrated()
    {
        using TestIndex test = TestIndex.BuildLists(count: 900, lists: 4);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(index.Info.Calibration, Is.Empty);
            Assert.That(() => VectorIndex.CalibrateAsync(test.Directory), Throws.InstanceOf<ArgumentOutOfRangeException>());
            AssertRefused(index, test, new SearchOptions { TargetRecall = 0.9f }, nameof(SearchOptions.TargetRecall));
        }
    }

    private static void AssertRefused(VectorIndex index, TestIndex test, SearchOptions options, string name)
    {
        using SearchSession session = index.OpenSession();
        Assert.That(() => session.Search<byte>(test.MakeQueries(1), 5, new SearchHit[5], options), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains(name));
    }
}
