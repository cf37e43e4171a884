using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Build;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>Options that a kind of index does not have are refused before anything is touched.</summary>
public sealed class ListOptionsTests
{
    private static readonly (string Name, Func<BuildOptions, BuildOptions> Change)[] _forLists =
    [
        (nameof(IvfBuild.Lists), options => options.WithLists(lists => lists with { Lists = 0 })),
        (nameof(IvfBuild.Lists), options => options.WithLists(lists => lists with { Lists = 51 })),
        (nameof(IvfBuild.PageSize), options => options.WithLists(lists => lists with { PageSize = 1000 })),
        (nameof(BuildOptions.Graph), options => options with { Graph = new GraphBuild() }),
        (nameof(BuildOptions.MemoryPerVector), options => options with { MemoryPerVector = 40 }),
        (nameof(BuildOptions.PageElementType), options => options with { PageElementType = VectorElementType.Float16 }),
        (nameof(BuildOptions.DropVectors), options => options with { DropVectors = true }),
        (nameof(BuildTuning.ListSize), options => options.Tuned(tuning => tuning with { ListSize = 100 })),
        (nameof(BuildTuning.Alpha), options => options.Tuned(tuning => tuning with { Alpha = 1.2f })),
        (nameof(BuildTuning.NodesPerPage), options => options.Tuned(tuning => tuning with { NodesPerPage = 3 })),
        (nameof(BuildTuning.ReplicasPerPage), options => options.Tuned(tuning => tuning with { ReplicasPerPage = 3 })),
        (nameof(BuildTuning.PageGraphBytes), options => options.Tuned(tuning => tuning with { PageGraphBytes = 5 })),
        (nameof(BuildTuning.CodeBytes), options => options.Tuned(tuning => tuning with { CodeBytes = 8 })),
    ];

    [Test]
    public void Options_without_effect_are_refused_for_lists([Range(0, 12)] int which)
    {
        (string name, Func<BuildOptions, BuildOptions> change) = _forLists[which];
        var builder = new VectorIndexBuilder("index", change(new BuildOptions { Ivf = new IvfBuild() }));

        Assert.That(
            () => builder.Plan(VectorSource.FromMemory(new float[50 * 16], 16)),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(name));
    }

    [TestCase(VectorElementType.Float16)]
    [TestCase(VectorElementType.Float32)]
    [TestCase(VectorElementType.Int8)]
    public void Byte_vectors_have_no_other_type_in_pages(VectorElementType type)
    {
        var builder = new VectorIndexBuilder("index", new BuildOptions { PageElementType = type });

        Assert.That(
            () => builder.Plan(VectorSource.FromMemory(new byte[50 * 16], 16)),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(nameof(BuildOptions.PageElementType)));
    }

    [Test]
    public void Vectors_that_pages_hold_cannot_be_dropped()
    {
        var bytes = new VectorIndexBuilder("index", new BuildOptions { DropVectors = true });
        var floats = new VectorIndexBuilder("index", new BuildOptions { DropVectors = true, PageElementType = VectorElementType.Float32 });

        Assert.That(() => bytes.Plan(VectorSource.FromMemory(new byte[50 * 16], 16)), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => floats.Plan(VectorSource.FromMemory(new float[50 * 16], 16)), Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Search_options_of_graphs_are_refused_for_lists()
    {
        using TestIndex test = TestIndex.BuildLists(count: 200, lists: 4);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using (Assert.EnterMultipleScope())
        {
            AssertRefused(index, test, new SearchOptions { Graph = new GraphSearch() }, nameof(SearchOptions.Graph));
            AssertRefused(index, test, new SearchOptions { Graph = new GraphSearch { ListSize = 50 } }, nameof(SearchOptions.Graph));
            AssertRefused(index, test, new SearchOptions { Mode = SearchMode.Beam }, nameof(SearchOptions.Mode));
            AssertRefused(index, test, new SearchOptions { Ivf = new IvfSearch { Probes = 0 } }, nameof(IvfSearch.Probes));
            AssertRefused(index, test, new SearchOptions { Ivf = new IvfSearch { Rerank = 50 } }, nameof(IvfSearch.Rerank));
            AssertRefused(index, test, new SearchOptions { Tuning = new WalkTuning { BoundFactor = 0 } }, nameof(WalkTuning.BoundFactor));
            AssertRefused(index, test, new SearchOptions { Tuning = new WalkTuning { FollowFactor = 2 } }, nameof(SearchOptions.Tuning));
        }
    }

    [Test]
    public void Probes_are_refused_for_graphs()
    {
        using TestIndex test = TestIndex.Build(count: 200);
        using VectorIndex index = test.Open(DeviceKind.Memory);

        AssertRefused(index, test, new SearchOptions { Ivf = new IvfSearch { Probes = 3 } }, nameof(SearchOptions.Ivf));
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
            using SearchSession session = index.OpenSession();
            SearchStatistics found =
                session.Search<byte>(test.MakeQueries(1), 5, new SearchHit[5], new SearchOptions { TargetRecall = 0.9f });
            Assert.That((found.Hits, found.RecallBasis), Is.EqualTo((5, RecallBasis.Estimated)), "a target recall still applies");
        }
    }

    private static void AssertRefused(VectorIndex index, TestIndex test, SearchOptions options, string name)
    {
        using SearchSession session = index.OpenSession();
        Assert.That(
            () => session.Search<byte>(test.MakeQueries(1), 5, new SearchHit[5], options),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains(name));
    }
}
