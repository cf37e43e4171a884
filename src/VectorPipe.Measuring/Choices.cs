using System.Globalization;
using VectorPipe.Devices;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Searching;

namespace VectorPipe.Measuring;

/// <summary>Options whose values are names.</summary>
internal static class Choices
{
    private static readonly Dictionary<string, DistanceMetric> _metrics = new()
    {
        ["l2"] = DistanceMetric.L2,
        ["ip"] = DistanceMetric.InnerProduct,
        ["cosine"] = DistanceMetric.Cosine,
    };

    private static readonly Dictionary<string, VectorElementType> _types = new()
    {
        ["uint8"] = VectorElementType.UInt8,
        ["int8"] = VectorElementType.Int8,
        ["float32"] = VectorElementType.Float32,
        ["float16"] = VectorElementType.Float16,
    };

    private static readonly Dictionary<string, GraphAlgorithm> _algorithms = new()
    {
        ["partitioned"] = GraphAlgorithm.Partitioned,
        ["vamana"] = GraphAlgorithm.Vamana,
    };

    private static readonly Dictionary<string, CodeKind> _codes = new()
    {
        ["pq"] = CodeKind.Pq,
        ["opq"] = CodeKind.Opq,
        ["rabitq"] = CodeKind.RaBitQ,
    };

    private static readonly Dictionary<string, SearchMode> _modes = new()
    {
        ["pipe"] = SearchMode.Pipelined,
        ["beam"] = SearchMode.Beam,
        ["exact"] = SearchMode.Exact,
    };

    private static readonly Dictionary<string, DeviceKind> _devices = new()
    {
        ["auto"] = DeviceKind.Auto,
        ["uring"] = DeviceKind.Uring,
        ["portable"] = DeviceKind.Portable,
        ["memory"] = DeviceKind.Memory,
        ["memory-ring"] = DeviceKind.MemoryRing,
    };

    private static readonly Dictionary<string, IndexLayout> _layouts = new()
    {
        ["merged"] = IndexLayout.Merged,
        ["plain"] = IndexLayout.Plain,
    };

    private static readonly Dictionary<string, IndexKind> _kinds = new()
    {
        ["graph"] = IndexKind.Graph,
        ["ivf"] = IndexKind.Ivf,
    };

    private static readonly Dictionary<string, CachePolicy> _cachePolicies = new()
    {
        ["static"] = CachePolicy.Static,
        ["adaptive"] = CachePolicy.Adaptive,
    };

    private static readonly Dictionary<string, PageVectors> _pageVectors = new()
    {
        ["auto"] = VectorPipe.PageVectors.Auto,
        ["given"] = VectorPipe.PageVectors.AsGiven,
        ["float16"] = VectorPipe.PageVectors.Float16,
    };

    private static readonly Dictionary<string, SearchPolicy> _policies = new()
    {
        ["gain"] = SearchPolicy.Gain,
        ["ratio"] = SearchPolicy.Ratio,
        ["list"] = SearchPolicy.List,
        ["relaxed"] = SearchPolicy.Relaxed,
    };

    private static readonly Dictionary<string, SearchWidth> _widths = new()
    {
        ["fixed"] = SearchWidth.Fixed,
        ["adaptive"] = SearchWidth.Adaptive,
        ["position"] = SearchWidth.Position,
        ["remaining"] = SearchWidth.Remaining,
    };

    /// <summary>The kind of index of a name.</summary>
    public static IndexKind Kind(string name) => Choose("--kind", name, _kinds);

    /// <summary>The name of a kind of index.</summary>
    public static string NameOf(IndexKind kind) => _kinds.First(choice => choice.Value == kind).Key;

    /// <summary>The layout of a name.</summary>
    public static IndexLayout Layout(string name) => Choose("--layout", name, _layouts);

    /// <summary>The cache policy of a name.</summary>
    public static CachePolicy Caching(string name) => Choose("--cache-policy", name, _cachePolicies);

    /// <summary>The form of vectors in pages of a name.</summary>
    public static PageVectors PageVectors(string name) => Choose("--page-vectors", name, _pageVectors);

    /// <summary>The search policy of a name.</summary>
    public static SearchPolicy Policy(string name) => Choose("--policy", name, _policies);

    /// <summary>The width of a name.</summary>
    public static SearchWidth Width(string name) => Choose("--width", name, _widths);

    /// <summary>The name of a width.</summary>
    public static string NameOf(SearchWidth width) => _widths.First(choice => choice.Value == width).Key;

    /// <summary>The name of a search policy.</summary>
    public static string NameOf(SearchPolicy policy) => _policies.First(choice => choice.Value == policy).Key;

    /// <summary>The metric of a name.</summary>
    public static DistanceMetric Metric(string name) => Choose("--metric", name, _metrics);

    /// <summary>The element type of a name.</summary>
    public static VectorElementType ElementType(string name) => Choose("--type", name, _types);

    /// <summary>The name of an element type.</summary>
    public static string NameOf(VectorElementType type) => _types.First(choice => choice.Value == type).Key;

    /// <summary>The graph algorithm of a name.</summary>
    public static GraphAlgorithm Algorithm(string name) => Choose("--algorithm", name, _algorithms);

    /// <summary>The kind of codes of a name.</summary>
    public static CodeKind Code(string name) => Choose("--code", name, _codes);

    /// <summary>The search mode of a name.</summary>
    public static SearchMode Mode(string name) => Choose("--mode", name, _modes);

    /// <summary>The device of a name.</summary>
    public static DeviceKind Device(string name) => Choose("--device", name, _devices);

    /// <summary>Bytes of a size: MiB, or a number with KiB, MiB or GiB (K, M, G) behind it.</summary>
    public static long Bytes(string size)
    {
        string digits = size.TrimEnd('i', 'B', 'K', 'M', 'G', ' ');
        int shift = size[digits.Length..].Trim() switch
        {
            "K" or "KiB" => 10,
            "" or "M" or "MiB" => 20,
            "G" or "GiB" => 30,
            _ => -1,
        };
        if (shift < 0 || !long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number) || number < 1 || number > long.MaxValue >> shift)
            throw new UsageException($"--memory: expected MiB, or a number with KiB, MiB or GiB behind it, found '{size}'.");
        return number << shift;
    }

    private static T Choose<T>(string option, string name, Dictionary<string, T> choices)
    {
        if (choices.TryGetValue(name, out T? value))
            return value;
        throw new UsageException($"{option}: expected one of {string.Join(", ", choices.Keys)}; found '{name}'.");
    }
}
