using System.Globalization;

namespace VectorPipe.Measuring;

/// <summary>Options whose values are names. Case does not matter; some values have several names, of which the first is the usual
/// one.</summary>
internal static class Choices
{
    private static readonly Choice<DistanceMetric> _metrics = new(
        "--metric", [("l2", DistanceMetric.L2), ("ip", DistanceMetric.InnerProduct), ("cosine", DistanceMetric.Cosine)],
        [
            ("euclidean", DistanceMetric.L2), ("dot", DistanceMetric.InnerProduct), ("inner-product", DistanceMetric.InnerProduct),
            ("mips", DistanceMetric.InnerProduct), ("cos", DistanceMetric.Cosine), ("angular", DistanceMetric.Cosine),
        ]);

    private static readonly Choice<VectorElementType> _types = new(
        "--type",
        [
            ("uint8", VectorElementType.UInt8), ("int8", VectorElementType.Int8), ("float32", VectorElementType.Float32),
            ("float16", VectorElementType.Float16),
        ],
        [
            ("u8", VectorElementType.UInt8), ("i8", VectorElementType.Int8), ("f32", VectorElementType.Float32),
            ("float", VectorElementType.Float32),
            ("f16", VectorElementType.Float16), ("half", VectorElementType.Float16),
        ]);

    private static readonly Choice<SearchMode> _modes = new(
        "--mode", [("pipe", SearchMode.Pipelined), ("beam", SearchMode.Beam), ("exact", SearchMode.Exact)],
        [("pipelined", SearchMode.Pipelined)]);

    private static readonly Choice<DeviceKind> _devices = new(
        "--device",
        [("auto", DeviceKind.Auto), ("uring", DeviceKind.Uring), ("portable", DeviceKind.Portable), ("memory", DeviceKind.Memory)],
        [("io_uring", DeviceKind.Uring), ("ram", DeviceKind.Memory)]);

    private static readonly Choice<IndexKind> _kinds =
        new("--kind", [("graph", IndexKind.Graph), ("ivf", IndexKind.Ivf)], [("lists", IndexKind.Ivf)]);

    /// <summary>The kind of index of a name.</summary>
    public static IndexKind Kind(string name) => _kinds.Of(name);

    /// <summary>The name of a kind of index.</summary>
    public static string NameOf(IndexKind kind) => _kinds.NameOf(kind);

    /// <summary>The metric of a name.</summary>
    public static DistanceMetric Metric(string name) => _metrics.Of(name);

    /// <summary>The element type of a name.</summary>
    public static VectorElementType ElementType(string name) => _types.Of(name);

    /// <summary>The name of an element type.</summary>
    public static string NameOf(VectorElementType type) => _types.NameOf(type);

    /// <summary>The search mode of a name.</summary>
    public static SearchMode Mode(string name) => _modes.Of(name);

    /// <summary>The name of a search mode.</summary>
    public static string NameOf(SearchMode mode) => _modes.NameOf(mode);

    /// <summary>The device of a name.</summary>
    public static DeviceKind Device(string name) => _devices.Of(name);

    /// <summary>A switch that is on, off, or not set.</summary>
    /// <exception cref="UsageException">It is none of these.</exception>
    public static bool? OnOff(string option, string? value)
    {
        if (value is null)
            return null;
        bool isOn = value.Equals("on", StringComparison.OrdinalIgnoreCase);
        UsageException.Require(isOn || value.Equals("off", StringComparison.OrdinalIgnoreCase), option, value, "on or off");
        return isOn;
    }

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
        if (shift < 0 || !long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number) || number < 1
            || number > long.MaxValue >> shift)
            throw new UsageException($"--memory: expected MiB, or a number with KiB, MiB or GiB behind it, found '{size}'.");
        return number << shift;
    }
}
