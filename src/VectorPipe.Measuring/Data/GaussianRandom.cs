namespace VectorPipe.Measuring.Data;

/// <summary>Numbers of the standard normal distribution by the method of Box and Muller.</summary>
internal struct GaussianRandom(ulong seed)
{
    private SplitMix64 _random = new(seed);
    private float _spare;
    private bool _hasSpare;

    /// <summary>The next number.</summary>
    public float Next()
    {
        if (_hasSpare)
        {
            _hasSpare = false;
            return _spare;
        }

        // From (0, 1], since zero has no logarithm.
        double radius = Math.Sqrt(-2 * Math.Log(1 - Unit()));
        (double sin, double cos) = Math.SinCos(Math.Tau * Unit());
        _spare = (float)(radius * sin);
        _hasSpare = true;
        return (float)(radius * cos);
    }

    private double Unit() => (_random.Next() >> 11) * (1.0 / (1UL << 53));
}
