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

    /// <summary>Most attributes of a collection's schema.</summary>
    public const int MaxAttributes = 64;

    /// <summary>Longest name of an attribute, in bytes of UTF-8.</summary>
    public const int MaxAttributeNameBytes = 128;

    /// <summary>Longest string in an attribute, in bytes of UTF-8.</summary>
    public const int MaxAttributeStringBytes = 16 << 10;

    /// <summary>Most bytes of all attributes of a record, encoded.</summary>
    public const int MaxRecordAttributeBytes = 64 << 10;

    /// <summary>Longest string as a key, in bytes of UTF-8.</summary>
    public const int MaxStringKeyBytes = 512;
}
