using VectorPipe.Model;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Arguments;

/// <summary>Names of values that only benchmarks choose.</summary>
internal static class TuningChoices
{
    private static readonly Choice<CodeKind> _codes = new("--code", [("pq", CodeKind.Pq), ("opq", CodeKind.Opq)]);

    private static readonly Choice<IndexLayout> _layouts = new("--layout", [("merged", IndexLayout.Merged), ("plain", IndexLayout.Plain)]);

    private static readonly Choice<CachePolicy> _cachePolicies = new(
        "--cache-policy", [("static", CachePolicy.Static), ("adaptive", CachePolicy.Adaptive)]);

    public static IndexLayout Layout(string name) => _layouts.Parse(name);

    public static CachePolicy Caching(string name) => _cachePolicies.Parse(name);

    public static CodeKind Code(string name) => _codes.Parse(name);
}
