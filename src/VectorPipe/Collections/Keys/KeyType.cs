namespace VectorPipe.Collections.Keys;

/// <summary>The type of a collection's keys. The numeric values are part of the file format.</summary>
internal enum KeyType
{
    UInt64 = 1,
    Int64 = 2,
    Int32 = 3,
    Guid = 4,
    String = 5,
}
