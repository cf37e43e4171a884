using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Opening;
using VectorPipe.Searching.Graph;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching;

/// <summary>The code book of a small index stays in its file until a search walks the graph.</summary>
internal sealed class CodeBookTests
{
    private const int K = 5;

    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch { ListSize = 50 } };

    private TestIndex _test = null!;

    [SetUp]
    public void Build() => _test = TestIndex.Build(count: 500);

    [TearDown]
    public void Remove() => _test.Dispose();

    [Test]
    public void It_is_read_when_a_search_walks_the_graph_though_the_file_is_gone_by_then()
    {
        using GraphIndex index = Load(new OpenOptions());
        using var session = new SearchSession(index, 1, static () => { });
        var exact = new SearchHit[K];
        session.Search(_test.MakeQueries(1), K, exact);
        Assert.That(index.CodeBook.IsLoaded, Is.False);

        // Windows keeps a file that is open.
        if (!OperatingSystem.IsWindows())
            File.Delete(PathOf(index));
        var walked = new SearchHit[K];
        session.Search(_test.MakeQueries(1), K, walked, _walk);
        Assert.Multiple(() =>
        {
            Assert.That(index.CodeBook.IsLoaded, Is.True);
            Assert.That(walked.Select(hit => hit.Key), Is.EqualTo(exact.Select(hit => hit.Key)));
        });
    }

    [Test]
    public void Damage_since_the_opening_is_an_error_of_the_searches_that_need_it()
    {
        using GraphIndex index = Load(new OpenOptions());
        using var session = new SearchSession(index, 1, static () => { });
        string path = PathOf(index);
        byte[] whole = File.ReadAllBytes(path), damaged = [.. whole];
        damaged[^100] ^= 1;
        Write(path, damaged);
        var hits = new SearchHit[K];
        IndexCorruptException? error = Assert.Throws<IndexCorruptException>(
            () => session.Search(_test.MakeQueries(1), K, hits, _walk));
        Assert.That(error!.Message, Does.Contain(path));
        SearchStatistics exact = session.Search(_test.MakeQueries(1), K, hits);
        Assert.That(exact.EndedBy, Is.EqualTo(SearchEnd.Complete), "an exact search does not need it");
        Write(path, whole);
        Assert.That(session.Search(_test.MakeQueries(1), K, hits, _walk).EndedBy, Is.EqualTo(SearchEnd.Complete));
    }

    [Test]
    public void One_that_a_given_device_reads_is_loaded_at_once()
    {
        using GraphIndex index = Load(new OpenOptions { OpenDevice = paths => DefaultDevice.Open(paths) });
        Assert.That(index.CodeBook.IsLoaded, Is.True);
    }

    private GraphIndex Load(OpenOptions options) =>
        (GraphIndex)IndexLoader.Load(_test.Directory, options, NullLogger.Instance, CancellationToken.None);

    private string PathOf(GraphIndex index) => Path.Combine(_test.Directory, index.Manifest.File(FileRole.CodeBook).Name);

    // In place: the open file is the same.
    private static void Write(string path, byte[] bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.Write(bytes);
    }
}
