using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>An empty collection of two dimensions with an attribute of each type, and a file of three vectors.</summary>
internal sealed class SmallCollection : IDisposable
{
    public const string Attributes = "good:bool,year:long,weight:double,name:string,id:guid,at:time,tags:strings";

    private readonly TempFolder _folder = new();

    private SmallCollection()
    {
    }

    public string Dir => _folder["collection"];

    public string Vectors => _folder["vectors.fbin"];

    public string this[string name] => _folder[name];

    public static async Task<SmallCollection> CreateAsync(string keyType = "ulong", string type = "float32")
    {
        var small = new SmallCollection();
        await ToolRun.SucceedAsync(
            "create", small.Dir, "--dimension", "2", "--metric", "l2", "--key-type", keyType, "--type", type, "--attribute", Attributes);
        await using var writer = new BinaryWriter(File.Create(small.Vectors));
        writer.Write(3);
        writer.Write(2);
        foreach (float component in new float[] { 0, 1, 0, 2, 0, 3 })
            writer.Write(component);
        return small;
    }

    /// <summary>The records of the collection, in the order of their keys.</summary>
    public async Task<JsonObject[]> ScanAsync() =>
    [
        .. (await ToolRun.SucceedAsync("scan", Dir, "--vectors")).Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonNode.Parse(line)!.AsObject()).OrderBy(record => record["key"]!.ToJsonString(), StringComparer.Ordinal),
    ];

    /// <summary>The attributes of the records, in the order of their keys.</summary>
    public async Task<string[]> ScanAttributesAsync() =>
        [.. (await ScanAsync()).Select(record => record["attributes"]!.ToJsonString())];

    public void Dispose() => _folder.Dispose();
}
