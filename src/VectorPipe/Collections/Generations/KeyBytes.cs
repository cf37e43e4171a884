namespace VectorPipe.Collections.Generations;

/// <summary>The bytes of a key as a key of a dictionary.</summary>
internal readonly struct KeyBytes(byte[] bytes) : IEquatable<KeyBytes>
{
    public byte[] Bytes { get; } = bytes;

    public bool Equals(KeyBytes other) => Bytes.AsSpan().SequenceEqual(other.Bytes);

    public override bool Equals(object? obj) => obj is KeyBytes other && Equals(other);

    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(Bytes);
        return hash.ToHashCode();
    }
}
