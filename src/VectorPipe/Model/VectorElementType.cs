namespace VectorPipe;

/// <summary>The type of one component of a vector, as it is stored.</summary>
/// <remarks>The numeric values are part of the file format.</remarks>
public enum VectorElementType
{
    /// <summary>IEEE 754 binary32 (<see cref="float"/>), 4 bytes.</summary>
    Float32 = 1,

    /// <summary>IEEE 754 binary16 (<see cref="Half"/>), 2 bytes.</summary>
    Float16 = 2,

    /// <summary>Unsigned 8-bit integer (<see cref="byte"/>).</summary>
    UInt8 = 3,

    /// <summary>Signed 8-bit integer (<see cref="sbyte"/>).</summary>
    Int8 = 4,
}
