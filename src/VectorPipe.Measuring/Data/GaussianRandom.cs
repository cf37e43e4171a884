namespace VectorPipe.Measuring.Data;

/// <summary>Random numbers of the standard normal distribution (Box and Muller).</summary>
internal struct GaussianRandom(ulong seed)
{
    private SplitMix64 _random = new(seed);
    private float _spare;
    private bool _hasSpare;

    public float Next()
    {
        if (_hasSpare)
        {
            _hasSpare = false;
            return _spare;
        }

        // The uniform number is in (0, 1]: zero has no logarithm.
        double radius = Math.Sqrt(-2 * Math.Log(1 - Unit()));
        (double sin, double cos) = Math.SinCos(Math.Tau * Unit());
        _spare = (float)(radius * sin);
        _hasSpare = true;
        return (float)(radius * cos);
    }

    private double Unit() => (_random.Next() >> 11) * (1.0 / (1UL << 53));
}
