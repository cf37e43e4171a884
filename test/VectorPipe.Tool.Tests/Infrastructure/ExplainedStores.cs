namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>What pages explain: a graph, lists, and a collection of the same vectors with the attribute year.</summary>
internal sealed class ExplainedStores : IDisposable
{
    public const int Years = 100;

    private readonly TempFolder _folder = new();

    private ExplainedStores(SmallIndex small) => Graph = small;

    public SmallIndex Graph { get; }

    public string Lists => _folder["lists"];

    public string Collection => _folder["collection"];

    public string this[string name] => _folder[name];

    public static async Task<ExplainedStores> CreateAsync()
    {
        var stores = new ExplainedStores(await SmallIndex.SharedAsync());
        await ToolRun.SucceedAsync(
            "build", "--base", stores.Graph.Base, "--out", stores.Lists, "--kind", "ivf", "--lists", "30", "--threads", "2");
        await ToolRun.SucceedAsync("create", stores.Collection, "--dimension", "16", "--metric", "l2", "--attribute", "year:long");
        string attributes = stores["attributes.jsonl"];
        await File.WriteAllLinesAsync(
            attributes, Enumerable.Range(0, SmallIndex.Points).Select(row => $$"""{"year": {{row % Years}}}"""));
        await ToolRun.SucceedAsync("upsert", stores.Collection, "--vectors", stores.Graph.Base, "--attributes", attributes);
        await ToolRun.SucceedAsync("compact", stores.Collection);
        return stores;
    }

    /// <summary>Explains a search on the memory device, and returns the page.</summary>
    public async Task<string> ExplainAsync(string store, params string[] more)
    {
        string path = _folder[$"{Guid.NewGuid():N}.html"];
        await ToolRun.SucceedAsync(["explain", store, "--query", Graph.Query, "--device", "memory", "--out", path, .. more]);
        return path;
    }

    public void Dispose() => _folder.Dispose();
}
