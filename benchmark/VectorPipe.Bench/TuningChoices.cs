using VectorPipe.Model;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench;

/// <summary>Names of values that only benchmarks choose.</summary>
internal static class TuningChoices
{
    private static readonly Choice<CodeKind> _codes = new("--code", [("pq", CodeKind.Pq), ("opq", CodeKind.Opq)]);

    private static readonly Choice<IndexLayout> _layouts = new("--layout", [("merged", IndexLayout.Merged), ("plain", IndexLayout.Plain)]);

    private static readonly Choice<CachePolicy> _cachePolicies = new(
        "--cache-policy", [("static", CachePolicy.Static), ("adaptive", CachePolicy.Adaptive)]);

    private static readonly Choice<IndexFileSet> _pageVectors = new(
        "--page-vectors", [("auto", IndexFileSet.Auto), ("original", IndexFileSet.Original), ("float16", IndexFileSet.Float16)],
        [("f16", IndexFileSet.Float16)]);

    private enum IndexFileSet
    {
        Auto,
        Original,
        Float16,
    }

    /// <summary>The layout of a name.</summary>
    public static IndexLayout Layout(string name) => _layouts.Of(name);

    /// <summary>The cache policy of a name.</summary>
    public static CachePolicy Caching(string name) => _cachePolicies.Of(name);

    /// <summary>The type of components in pages of a name; null for the choice of the build.</summary>
    /// <param name="name">auto, original or float16.</param>
    /// <param name="type">Type of the vectors' components.</param>
    public static VectorElementType? PageElementType(string name, VectorElementType type) => _pageVectors.Of(name) switch
    {
        IndexFileSet.Auto => null,
        IndexFileSet.Original => type,
        _ => VectorElementType.Float16,
    };

    /// <summary>The kind of codes of a name.</summary>
    public static CodeKind Code(string name) => _codes.Of(name);
}
