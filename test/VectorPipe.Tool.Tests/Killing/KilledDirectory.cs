using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>A directory in which tool processes are killed; old and new index give different answers.</summary>
internal sealed class KilledDirectory : IDisposable
{
    private const int Dimension = 32;
    private const int K = 10;

    private readonly TempFolder _folder = new();
    private readonly int _points;
    private byte[] _queries = [];
    private SearchHit[] _oldHits = [];
    private SearchHit[] _newHits = [];

    private KilledDirectory(int points) => _points = points;

    public string Index => _folder["index"];

    public string Query => Path.Combine(_folder["new"], "query.u8bin");

    private string Template => _folder["template"];

    /// <summary>Makes the vectors and builds both indexes.</summary>
    /// <param name="points">Vectors of each.</param>
    public static async Task<KilledDirectory> CreateAsync(int points)
    {
        var directory = new KilledDirectory(points);
        await directory.GenerateAsync("old", 7);
        await directory.GenerateAsync("new", 8);
        directory._queries = await ReadAsync(directory.Query);
        await ToolRun.SucceedAsync(directory.BuildArguments("old", directory.Template));
        await ToolRun.SucceedAsync(directory.BuildArguments("new", directory._folder["reference"]));
        directory._oldHits = directory.Search(directory.Template);
        directory._newHits = directory.Search(directory._folder["reference"]);
        Assert.That(directory._newHits, Is.Not.EqualTo(directory._oldHits));
        return directory;
    }

    /// <summary>Arguments that build the new index into the directory; one thread always builds the same index.</summary>
    public string[] BuildArguments() => BuildArguments("new", Index);

    /// <summary>Empties the directory.</summary>
    public void Empty()
    {
        if (Directory.Exists(Index))
            Directory.Delete(Index, recursive: true);
        Directory.CreateDirectory(Index);
    }

    /// <summary>Makes the directory hold the old index.</summary>
    public void HoldOld()
    {
        Empty();
        foreach (string path in Directory.EnumerateFiles(Template))
            File.Copy(path, Path.Combine(Index, Path.GetFileName(path)));
    }

    /// <summary>Adds the files of a killed build of some generation.</summary>
    public string AddLeftover(int generation)
    {
        string path = Path.Combine(Index, KillMoment.FileName("nodes", generation));
        File.Copy(Path.Combine(Template, KillMoment.FileName("nodes", 1)), path);
        return path;
    }

    /// <summary>Asserts that the directory holds one of the two indexes, whole.</summary>
    public void AssertOldOrNew(string context)
    {
        SearchHit[] hits = Search(Index);
        if (!hits.AsSpan().SequenceEqual(_oldHits) && !hits.AsSpan().SequenceEqual(_newHits))
            Assert.Fail($"Expected the old index or the new one, found neither: {context}");
        AssertWhole(context);
    }

    /// <summary>Asserts that the directory holds the whole new index and, after a finished build, nothing else.</summary>
    public void AssertNew(string context, bool isAlone = false)
    {
        Assert.That(Search(Index), Is.EqualTo(_newHits), context);
        AssertWhole(context);
        if (isAlone)
            Assert.That(
                FileNames(), Is.EquivalentTo(VectorIndex.Inspect(Index).FileNames.Concat(["MANIFEST", "LOCK"])),
                context);
    }

    /// <summary>Asserts that no index opens, that the tool reports it, and that neither deletes a file.</summary>
    public async Task AssertNoneAsync(string context)
    {
        string[] names = FileNames();
        Assert.That(() => VectorIndex.Open(Index), Throws.TypeOf<IndexNotFoundException>(), context);
        ToolRun run = await ToolRun.RunAsync("search", "--index", Index, "--query", Query);
        run.AssertFailed(ExitCodes.CannotReadOrWrite, "expected a finished index");
        Assert.That(FileNames(), Is.EqualTo(names), context);
    }

    public bool HasManifest() => File.Exists(Path.Combine(Index, "MANIFEST"));

    public string[] FileNames() =>
        [.. Directory.EnumerateFiles(Index).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];

    public void Dispose() => _folder.Dispose();

    private void AssertWhole(string context) =>
        Assert.That(VectorIndex.VerifyAsync(Index).GetAwaiter().GetResult().Defects, Is.Empty, context);

    private SearchHit[] Search(string path)
    {
        int queries = _queries.Length / Dimension;
        using VectorIndex index =
            VectorIndex.Open(path, new OpenOptions { DeviceKind = DeviceKind.Memory, QueriesInFlight = 1 });
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[queries * K];
        session.SearchMany<byte>(
            _queries, K, hits, [], new SearchOptions { Graph = new GraphSearch { ListSize = 20, BeamWidth = 1 }, Mode = SearchMode.Beam });
        return hits;
    }

    private Task<ToolRun> GenerateAsync(string name, int seed)
    {
        Directory.CreateDirectory(_folder[name]);
        return ToolRun.SucceedAsync(
            "generate", "--out", _folder[name], "--points", $"{_points}", "--queries", "10", "--dimension", $"{Dimension}",
            "--type", "uint8", "--clusters", "20", "--seed", $"{seed}", "-k", $"{K}", "--metric", "l2");
    }

    private string[] BuildArguments(string data, string target) =>
    [
        "build", "--base", Path.Combine(_folder[data], "base.u8bin"), "--out", target, "--degree", "8",
        "--threads", "1",
    ];

    private static async Task<byte[]> ReadAsync(string path)
    {
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = new byte[reader.Count * reader.Dimension];
        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(reader.Count));
        return rows;
    }
}
