namespace VectorPipe.Collections.Writing;

/// <summary>One write on its way to the log.</summary>
/// <param name="kind">What it does.</param>
/// <param name="home">Handle of the key, unless another key has it.</param>
/// <param name="key">The key's bytes; empty for integers, which are their own handles.</param>
/// <param name="vector">The vector; empty for a deletion.</param>
/// <param name="body">Key, attributes and payload; empty for a deletion.</param>
internal sealed class WriteOperation(WriteKind kind, ulong home, byte[] key, byte[] vector, byte[] body)
{
    public WriteKind Kind { get; } = kind;

    public ulong Home { get; } = home;

    public byte[] Key { get; } = key;

    public byte[] Vector { get; } = vector;

    public byte[] Body { get; } = body;

    /// <summary>The record's handle; set by the writer.</summary>
    public ulong Handle { get; set; }

    /// <summary>Whether the collection had a record of the key; set by the writer.</summary>
    public bool Existed { get; set; }

    /// <summary>Whether that record is older than the newest waiting set; set by the writer.</summary>
    public bool Replaces { get; set; }

    /// <summary>The same write, not yet made.</summary>
    public WriteOperation Copy() => new(Kind, Home, Key, Vector, Body);

    /// <summary>Bytes in the log.</summary>
    public int LogBytes => GroupCodec.HeaderBytes + Vector.Length + Body.Length;
}
