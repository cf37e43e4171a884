using VectorPipe.Devices;
using VectorPipe.Numerics;
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

    private static readonly Dictionary<string, SearchMode> _modes = new()
    {
        ["pipe"] = SearchMode.Pipelined,
        ["beam"] = SearchMode.Beam,
    };

    private static readonly Dictionary<string, DeviceKind> _devices = new()
    {
        ["auto"] = DeviceKind.Auto,
        ["uring"] = DeviceKind.Uring,
        ["portable"] = DeviceKind.Portable,
        ["memory"] = DeviceKind.Memory,
        ["memory-ring"] = DeviceKind.MemoryRing,
    };

    /// <summary>The metric of a name.</summary>
    public static DistanceMetric Metric(string name) => Choose("--metric", name, _metrics);

    /// <summary>The element type of a name.</summary>
    public static VectorElementType ElementType(string name) => Choose("--type", name, _types);

    /// <summary>The graph algorithm of a name.</summary>
    public static GraphAlgorithm Algorithm(string name) => Choose("--algorithm", name, _algorithms);

    /// <summary>The search mode of a name.</summary>
    public static SearchMode Mode(string name) => Choose("--mode", name, _modes);

    /// <summary>The device of a name.</summary>
    public static DeviceKind Device(string name) => Choose("--device", name, _devices);

    private static T Choose<T>(string option, string name, Dictionary<string, T> choices)
    {
        if (choices.TryGetValue(name, out T? value))
            return value;
        throw new UsageException($"{option}: expected one of {string.Join(", ", choices.Keys)}; found '{name}'.");
    }
}
