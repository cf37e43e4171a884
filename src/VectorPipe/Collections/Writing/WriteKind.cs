namespace VectorPipe.Collections.Writing;

/// <summary>What a write does. The numbers are those of the log.</summary>
internal enum WriteKind : byte
{
    /// <summary>Inserts a record, or replaces it as a whole.</summary>
    Upsert = 1,

    /// <summary>Deletes a record.</summary>
    Delete = 2,
}
