using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>A member of the configuration that is not the same in all files.</summary>
/// <param name="A">Its values on side A, each once.</param>
internal sealed record ConfigurationDifference(string Name, IReadOnlyList<string> A, IReadOnlyList<string> B)
{
    // Where a run keeps its files does not change what it measures.
    private static readonly HashSet<string> _folders = ["data_path", "out", "indexes"];

    // Of a file of data, the name counts: the folder may be another one.
    private static readonly HashSet<string> _files = ["dataset", "base", "query", "truth"];

    /// <summary>Finds the members that differ, in the order of the files.</summary>
    public static IReadOnlyList<ConfigurationDifference> Find(IReadOnlyList<ResultFile> a, IReadOnlyList<ResultFile> b)
    {
        Dictionary<string, string>[] inA = [.. a.Select(ValuesOf)], inB = [.. b.Select(ValuesOf)];
        return
        [
            .. from name in inA.Concat(inB).SelectMany(values => values.Keys).Distinct()
               let difference = new ConfigurationDifference(name, Distinct(inA, name), Distinct(inB, name))
               where difference.A.Union(difference.B).Count() > 1
               select difference,
        ];
    }

    public override string ToString() => $"configuration: {Name}: A {string.Join(" or ", A)}; B {string.Join(" or ", B)}";

    public JsonObject ToJson() => new() { ["name"] = Name, ["a"] = ToJson(A), ["b"] = ToJson(B) };

    private static JsonArray ToJson(IReadOnlyList<string> values) => new([.. values.Select(value => JsonValue.Create(value))]);

    private static string[] Distinct(Dictionary<string, string>[] files, string name) =>
        [.. files.Select(values => values.GetValueOrDefault(name, RowMembers.Show(null))).Distinct()];

    private static Dictionary<string, string> ValuesOf(ResultFile file)
    {
        var values = new Dictionary<string, string>();
        Add(values, "", file.Configuration);
        return values;
    }

    // Members of objects, as those of the host, count one by one.
    private static void Add(Dictionary<string, string> values, string prefix, JsonObject members)
    {
        foreach ((string name, JsonNode? value) in members)
        {
            if (value is JsonObject inner)
                Add(values, $"{prefix}{name}.", inner);
            else if (!_folders.Contains(prefix + name))
                values[prefix + name] = _files.Contains(prefix + name) ? FileName(value) : RowMembers.Show(value);
        }
    }

    // Reports of another operating system have its separators.
    private static string FileName(JsonNode? value) =>
        value?.GetValueKind() == JsonValueKind.String ? value.ToString().Split('/', '\\')[^1] : RowMembers.Show(value);
}
