namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>A small index with queries and truth, made by the tool for tests that only read it.</summary>
internal sealed class SmallIndex : IDisposable
{
    public const int Points = 1000;
    public const int Queries = 60;

    private static readonly Lock _gate = new();
    private static Task<SmallIndex>? _shared;

    private readonly TempFolder _folder = new();

    private SmallIndex()
    {
    }

    /// <summary>An index of squared distances that tests share; nobody changes or disposes of it.</summary>
    public static Task<SmallIndex> SharedAsync()
    {
        lock (_gate)
            return _shared ??= CreateAsync("l2");
    }

    public string Base => _folder["base.fbin"];

    public string Query => _folder["query.fbin"];

    public string Truth => _folder["truth.bin"];

    public string Index => _folder["index"];

    public string BuildReport => _folder["build.json"];

    public static async Task<SmallIndex> CreateAsync(string metric)
    {
        var small = new SmallIndex();
        await ToolRun.SucceedAsync(
            "generate", "--out", small._folder[""], "--points", $"{Points}", "--queries", $"{Queries}", "--dimension", "16",
            "--type", "float32", "--clusters", "20", "--seed", "7", "-k", "20", "--metric", metric);
        ToolRun build = await ToolRun.SucceedAsync(
            "build", "--base", small.Base, "--out", small.Index, "--metric", metric, "--degree", "24",
            "--memory-per-vector", "20", "--threads", "2", "--format", "json");
        await File.WriteAllTextAsync(small.BuildReport, build.Output);
        return small;
    }

    /// <summary>Copies the index, for a test that changes it.</summary>
    public void CopyTo(string directory)
    {
        Directory.CreateDirectory(directory);
        foreach (string path in Directory.EnumerateFiles(Index))
            File.Copy(path, Path.Combine(directory, Path.GetFileName(path)));
    }

    /// <summary>Searches with these further options, on the memory device unless they name one, and returns the run.</summary>
    public Task<ToolRun> SearchAsync(params string[] more)
    {
        string[] device = more.Contains("--device") ? [] : ["--device", "memory"];
        return ToolRun.RunAsync(["search", "--index", Index, "--query", Query, .. device, .. more]);
    }

    public void Dispose() => _folder.Dispose();

    /// <summary>Deletes the shared index, after the last test.</summary>
    public static async Task DeleteSharedAsync()
    {
        if (_shared is not null)
            (await _shared).Dispose();
    }
}
