using VectorPipe.Diagnostics;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>What the files of a DiskANN index do not say of themselves. Immutable.</summary>
public sealed record DiskAnnImportOptions
{
    /// <summary>The metric that the index was built for: the files do not tell, and a wrong one gives wrong neighbours. Default: squared L2.</summary>
    public DistanceMetric Metric { get; init; } = DistanceMetric.L2;

    /// <summary>Type of a component; null to find it out, which works for float32 and float16: uint8 and int8 look alike. Default: null.</summary>
    public VectorElementType? ElementType { get; init; }

    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal void Validate()
    {
        Require.That(Enum.IsDefined(Metric), nameof(Metric), Metric, "L2, InnerProduct or Cosine");
        Require.That(ElementType is not { } type || Enum.IsDefined(type), nameof(ElementType), ElementType, "Float32, Float16, UInt8 or Int8");
    }
}
