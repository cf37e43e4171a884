namespace VectorPipe.Measuring.Data;

/// <summary>A small seeded generator whose numbers are the same on every platform and in every version of the framework.</summary>
internal struct SplitMix64(ulong seed)
{
    private ulong _state = seed;

    /// <summary>The next 64 random bits.</summary>
    public ulong Next()
    {
        _state += 0x9E3779B97F4A7C15;
        ulong value = _state;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    /// <summary>A number from 0 up to, not including, <paramref name="limit"/>.</summary>
    public int Next(int limit) => (int)Math.BigMul(Next(), (ulong)limit, out _);
}
