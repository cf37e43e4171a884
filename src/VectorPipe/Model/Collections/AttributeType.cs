namespace VectorPipe;

/// <summary>The type of an attribute's values.</summary>
/// <remarks>The numeric values are part of the file format.</remarks>
public enum AttributeType
{
    /// <summary>True or false (<see cref="bool"/>).</summary>
    Boolean = 1,

    /// <summary>A signed integer (<see cref="long"/>).</summary>
    Int64 = 2,

    /// <summary>IEEE 754 binary64 (<see cref="double"/>).</summary>
    Double = 3,

    /// <summary>A text (<see cref="string"/>) of at most 16 KiB of UTF-8; compared by code units, not by a culture.</summary>
    String = 4,

    /// <summary>A <see cref="System.Guid"/>.</summary>
    Guid = 5,

    /// <summary>An instant and its offset from UTC (<see cref="System.DateTimeOffset"/>).</summary>
    DateTimeOffset = 6,

    /// <summary>Strings without order and repetition, each of at most 16 KiB of UTF-8.</summary>
    StringSet = 7,
}
