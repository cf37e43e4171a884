namespace VectorPipe.Collections.Writing;

/// <summary>A write as the log has it.</summary>
internal readonly ref struct LoggedWrite
{
    public WriteKind Kind { get; init; }

    public ulong Handle { get; init; }

    /// <summary>Whether it replaces or deletes a record that is older than the last checkpoint before it.</summary>
    public bool Replaces { get; init; }

    /// <summary>Whether the handle is not the one that the key hashes to.</summary>
    public bool IsDisplaced { get; init; }

    public ReadOnlySpan<byte> Vector { get; init; }

    public ReadOnlySpan<byte> Body { get; init; }
}
