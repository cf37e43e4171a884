using System.Globalization;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring;

/// <summary>The options whose values are names. Of several names of a value, reports use the first.</summary>
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
            ("float", VectorElementType.Float32), ("f16", VectorElementType.Float16), ("half", VectorElementType.Float16),
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

    private static readonly Choice<OutputFormat> _formats =
        new("--format", [("table", OutputFormat.Table), ("json", OutputFormat.Json), ("csv", OutputFormat.Csv)]);

    private static readonly Choice<PageVectors> _pageVectors = new(
        "--page-vectors",
        [("auto", PageVectors.Auto), ("original", PageVectors.Original), ("float16", PageVectors.Float16)],
        [("f16", PageVectors.Float16), ("half", PageVectors.Float16)]);

    private enum PageVectors
    {
        Auto,
        Original,
        Float16,
    }

    /// <summary>The options, for completion.</summary>
    public static IReadOnlyList<IChoice> All => [_metrics, _types, _modes, _devices, _kinds, _formats, _pageVectors];

    public static OutputFormat Format(string name) => _formats.Parse(name);

    public static IndexKind Kind(string name) => _kinds.Parse(name);

    public static string NameOf(IndexKind kind) => _kinds.NameOf(kind);

    public static DistanceMetric Metric(string name) => _metrics.Parse(name);

    public static string NameOf(DistanceMetric metric) => _metrics.NameOf(metric);

    public static VectorElementType ElementType(string name) => _types.Parse(name);

    public static string NameOf(VectorElementType type) => _types.NameOf(type);

    public static SearchMode Mode(string name) => _modes.Parse(name);

    public static string NameOf(SearchMode mode) => _modes.NameOf(mode);

    public static DeviceKind Device(string name) => _devices.Parse(name);

    /// <summary>The type of components in pages: null for auto, the vectors' own type for original, or float16.</summary>
    public static VectorElementType? PageElementType(string name, VectorElementType type) => _pageVectors.Parse(name) switch
    {
        PageVectors.Auto => null,
        PageVectors.Original => type,
        _ => VectorElementType.Float16,
    };

    /// <summary>The value of a switch; null stays null.</summary>
    public static bool? OnOff(string option, string? value)
    {
        if (value is null)
            return null;
        bool isOn = value.Equals("on", StringComparison.OrdinalIgnoreCase);
        UsageException.Require(isOn || value.Equals("off", StringComparison.OrdinalIgnoreCase), option, value, "on or off");
        return isOn;
    }

    /// <summary>The bytes of a size: a number of MiB, or a number followed by KiB, MiB or GiB (K, M, G).</summary>
    public static long Bytes(string size)
    {
        string upper = size.ToUpperInvariant(), digits = upper.TrimEnd('I', 'B', 'K', 'M', 'G', ' ');
        int shift = upper[digits.Length..].Trim() switch
        {
            "K" or "KIB" => 10,
            "" or "M" or "MIB" => 20,
            "G" or "GIB" => 30,
            _ => -1,
        };
        if (shift < 0 || !long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number) || number < 1
            || number > long.MaxValue >> shift)
            throw new UsageException($"--memory: expected a number of MiB, or a number followed by KiB, MiB or GiB; found '{size}'.");
        return number << shift;
    }
}
