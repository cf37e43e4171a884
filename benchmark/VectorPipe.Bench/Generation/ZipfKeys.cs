using System.Numerics;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>The frequency of the key of rank r is in proportion to r^-theta. Ranks are scattered over the keys.</summary>
/// <remarks>
/// Rejection-inversion (Hörmann and Derflinger 1996): exact for any number of keys and any theta above 0, in constant memory, and
/// rarely with more than one try.
/// </remarks>
internal sealed class ZipfKeys : IKeyDistribution
{
    private const double GoldenRatio = 0.6180339887498949;

    private readonly long _count;
    private readonly long _stride;
    private readonly double _theta;
    private readonly double _areaOfFirst;
    private readonly double _areaOfAll;
    private readonly double _sure;

    public ZipfKeys(long count, double theta)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(theta);
        _count = count;
        _theta = theta;
        _areaOfFirst = AreaTo(1.5) - 1;
        _areaOfAll = AreaTo(count + 0.5);
        _sure = 2 - AreaEnd(AreaTo(2.5) - Math.Pow(2, -theta));
        _stride = StrideOf(count);
    }

    public ulong Next(ref SplitMix64 random) => KeyOf(NextRank(ref random));

    /// <summary>The next rank; 1 is the most frequent.</summary>
    public long NextRank(ref SplitMix64 random)
    {
        while (true)
        {
            double unit = (random.Next() >> 11) * (1.0 / (1UL << 53));
            double area = _areaOfAll + (unit * (_areaOfFirst - _areaOfAll));
            double x = AreaEnd(area);
            long rank = Math.Clamp((long)(x + 0.5), 1, _count);
            if (rank - x <= _sure || area >= AreaTo(rank + 0.5) - Math.Pow(rank, -_theta))
                return rank;
        }
    }

    /// <summary>The key of a rank. Neighbouring ranks are far apart, so that frequent keys do not share pages.</summary>
    public ulong KeyOf(long rank) => (ulong)((UInt128)(ulong)(rank - 1) * (ulong)_stride % (ulong)_count);

    // Integral of x^-theta from 1 to x.
    private double AreaTo(double x)
    {
        double log = Math.Log(x);
        double exponent = (1 - _theta) * log;
        return Math.Abs(exponent) < 1e-8 ? log * (1 + (exponent / 2)) : (Math.Exp(exponent) - 1) / (1 - _theta);
    }

    // The inverse of AreaTo.
    private double AreaEnd(double area)
    {
        double t = area * (1 - _theta);
        return Math.Exp(Math.Abs(t) < 1e-8 ? area * (1 - (t / 2)) : Math.Log(Math.Max(1 + t, double.Epsilon)) / (1 - _theta));
    }

    // A step that visits every key once.
    private static long StrideOf(long count)
    {
        long stride = Math.Max(1, (long)(count * GoldenRatio));
        while (!BigInteger.GreatestCommonDivisor(stride, count).IsOne)
            stride++;
        return stride;
    }
}
