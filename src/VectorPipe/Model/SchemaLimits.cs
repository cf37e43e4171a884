namespace VectorPipe.Model;

/// <summary>Limits of the file format and of exact kernels.</summary>
internal static class SchemaLimits
{
    /// <summary>The version of the file format that this code writes, and the only one that it reads.</summary>
    public const uint FormatVersion = 2;

    /// <summary>Most components of a vector: squared L2 of bytes stays within 32 bits.</summary>
    public const int MaxDimension = 32_768;

    /// <summary>Most links of a node.</summary>
    public const int MaxDegree = 512;

    /// <summary>Most nodes: internal ids have 32 bits, the highest values are reserved.</summary>
    public const long MaxCount = 4_000_000_000;

    /// <summary>Most vectors of a build: arrays have an item for each.</summary>
    public const long MaxBuilt = 2_147_000_000;
}
