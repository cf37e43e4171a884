namespace VectorPipe.Storage.Log;

/// <summary>Header of a log block.</summary>
internal readonly record struct LogBlockHeader
{
    /// <summary>Identity of the segment.</summary>
    public ulong Identity { get; init; }

    /// <summary>Number of the block in its segment, from 0.</summary>
    public int Block { get; init; }

    /// <summary>Number of the group, from 1; numbers grow, and may skip some.</summary>
    public ulong Group { get; init; }

    /// <summary>Last group that was durable when this block was written: damage before it is not a torn end.</summary>
    public ulong DurableGroup { get; init; }

    /// <summary>Checksum of the block before, in this segment or the one before; 0 for the first block of a log.</summary>
    public uint Before { get; init; }

    /// <summary>Whether this is the last block of its group.</summary>
    public bool IsLast { get; init; }

    /// <summary>Bytes of payload, 1 to 4,048.</summary>
    public int PayloadLength { get; init; }

    /// <summary>Checksum of the block.</summary>
    public uint Checksum { get; init; }
}
