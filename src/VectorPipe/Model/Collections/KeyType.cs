namespace VectorPipe;

/// <summary>The type of a collection's keys.</summary>
/// <remarks>The numeric values are part of the file format.</remarks>
public enum KeyType
{
    /// <summary>An unsigned integer of 64 bits (<see cref="ulong"/>).</summary>
    UInt64 = 1,

    /// <summary>A signed integer of 64 bits (<see cref="long"/>).</summary>
    Int64 = 2,

    /// <summary>A signed integer of 32 bits (<see cref="int"/>).</summary>
    Int32 = 3,

    /// <summary>A <see cref="System.Guid"/>.</summary>
    Guid = 4,

    /// <summary>A text (<see cref="string"/>) of 1 to 512 bytes of UTF-8.</summary>
    String = 5,
}
