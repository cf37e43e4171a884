namespace VectorPipe.Measuring.Data;

/// <summary>A seeded generator with the same numbers on every platform and framework version.</summary>
/// <remarks>The library has the same one, but the tool uses only what is public.</remarks>
internal struct SplitMix64(ulong seed)
{
    private ulong _state = seed;

    public ulong Next()
    {
        _state += 0x9E3779B97F4A7C15;
        ulong value = _state;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    /// <summary>A number in [0, <paramref name="limit"/>).</summary>
    public int Next(int limit) => (int)Math.BigMul(Next(), (ulong)limit, out _);
}
