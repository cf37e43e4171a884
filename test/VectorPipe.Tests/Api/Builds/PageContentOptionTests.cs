using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>Options set the contents of a page; contents that do not fit are refused before anything is touched.</summary>
public sealed class PageContentOptionTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task The_index_has_the_requested_page_contents()
    {
        BuildOptions options = Options().WithGraph(graph => graph with { PageSize = 8192 })
            .Tuned(tuning => tuning with { NodesPerPage = 6, ReplicasPerPage = 3, PageGraphBytes = 10 })
            with
        { PageElementType = VectorElementType.Float32 };
        IndexInfo info = await BuildAsync(options);

        Assert.That((info.PageSize, info.NodesPerPage, info.ReplicasPerPage, info.PageGraphBytesPerPage), Is.EqualTo((8192, 6, 3, 60)));
        Assert.That((info.PageElementType, info.HasOriginalVectors), Is.EqualTo((VectorElementType.Float32, true)));
        Assert.That((await VectorIndex.VerifyAsync(info.Directory)).Defects, Is.Empty);
    }

    [Test]
    public async Task An_index_without_a_page_graph_is_built_and_searched()
    {
        IndexInfo info = await BuildAsync(Options().Tuned(tuning => tuning with { PageGraphBytes = 0 }));
        Assert.That(info.PageGraphBytesPerPage, Is.Zero);
        using VectorIndex index = VectorIndex.Open(info.Directory);
        SearchResult result = await index.SearchAsync<float>(new float[100], 5);
        Assert.That(result.Count, Is.EqualTo(5));
    }

    [Test]
    public async Task Memory_is_reported_part_by_part()
    {
        IndexInfo info = await BuildAsync(Options());
        Assert.That(info.CodeMemoryBytes, Is.EqualTo(info.CodeBytes * info.Count));
        Assert.That(info.MemoryBytes, Is.EqualTo(info.CodeMemoryBytes + info.PageGraphMemoryBytes + info.CodeBookMemoryBytes));
    }

    [TestCase("PageSize", 5000)]
    [TestCase("PageSize", 2 << 20)]
    [TestCase("NodesPerPage", 0)]
    [TestCase("ReplicasPerPage", -1)]
    public void A_figure_out_of_its_range_is_refused_by_name(string name, int value)
    {
        BuildOptions options = name switch
        {
            "PageSize" => Options().WithGraph(graph => graph with { PageSize = value }),
            "NodesPerPage" => Options().Tuned(tuning => tuning with { NodesPerPage = value }),
            _ => Options().Tuned(tuning => tuning with { ReplicasPerPage = value }),
        };
        AssertRefused(options, name, $"{value}");
    }

    [Test]
    public void Contents_that_do_not_fit_into_a_page_are_refused() =>
        AssertRefused(
            Options().WithGraph(graph => graph with { PageSize = 4096 }).Tuned(tuning => tuning with { NodesPerPage = 40 }), "PageSize",
            "40 nodes");

    [Test]
    public void Too_large_a_page_graph_is_refused() =>
        AssertRefused(Options().Tuned(tuning => tuning with { PageGraphBytes = 65 }), "PageGraphBytes", "0 to 64");

    [Test]
    public void The_plain_layout_refuses_these_options()
    {
        BuildOptions plain = Options().In(IndexLayout.Plain);
        AssertRefused(plain.WithGraph(graph => graph with { PageSize = 8192 }), "PageSize", "plain");
        AssertRefused(plain.Tuned(tuning => tuning with { NodesPerPage = 2 }), "NodesPerPage", "plain");
        AssertRefused(plain.Tuned(tuning => tuning with { ReplicasPerPage = 2 }), "ReplicasPerPage", "plain");
        AssertRefused(plain.Tuned(tuning => tuning with { WithRoom = true }), "WithRoom", "plain");
        AssertRefused(plain.Tuned(tuning => tuning with { PageGraphBytes = 2 }), "PageGraphBytes", "plain");
        AssertRefused(plain with { PageElementType = VectorElementType.Float16 }, "PageElementType", "plain");
    }

    private static BuildOptions Options() => BuildOptionsTuning.SmallGraph(degree: 24, listSize: 48) with { Threads = 1 };

    private static VectorSource Source()
    {
        var random = new Random(8);
        return VectorSource.FromMemory<float>(Enumerable.Range(0, 500 * 100).Select(_ => (float)random.NextDouble()).ToArray(), 100);
    }

    private void AssertRefused(BuildOptions options, string name, string word)
    {
        ArgumentOutOfRangeException? error =
            Assert.Throws<ArgumentOutOfRangeException>(() => new VectorIndexBuilder(_folder.File("refused"), options).Plan(Source()));
        Assert.That((error!.ParamName, error.Message), Is.EqualTo((name, error.Message)));
        Assert.That(error.Message, Does.Contain(word));
        Assert.That(Directory.Exists(_folder.File("refused")), Is.False);
    }

    private async Task<IndexInfo> BuildAsync(BuildOptions options)
    {
        string directory = Path.Combine(_folder.Path, "index");
        await new VectorIndexBuilder(directory, options).BuildAsync(Source());
        return VectorIndex.Inspect(directory);
    }
}
