namespace VectorPipe;

/// <summary>What a record brings along beside its key.</summary>
[Flags]
public enum Include
{
    /// <summary>The key alone.</summary>
    Key = 0,

    /// <summary>The vector: one or two reads for a record of the index, none for one that waits in memory.</summary>
    Vector = 1,

    /// <summary>The attributes: nearly always two reads, which the payload shares; none for a record in memory.</summary>
    Attributes = 2,

    /// <summary>The payload.</summary>
    Payload = 4,

    /// <summary>Everything.</summary>
    All = Vector | Attributes | Payload,
}
