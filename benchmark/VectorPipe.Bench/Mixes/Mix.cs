using System.Globalization;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Mixes;

/// <summary>Shares of the operations of a run, in per cent. Immutable; threads share it.</summary>
internal sealed class Mix
{
    private readonly double[] _shares;

    private Mix(double[] shares) => _shares = shares;

    /// <summary>The share of an operation.</summary>
    public double this[MixKind kind] => _shares[(int)kind];

    /// <summary>The operations that occur.</summary>
    public IEnumerable<MixKind> Kinds => Enum.GetValues<MixKind>().Where(kind => this[kind] > 0);

    /// <summary>Reads <c>search=95,upsert=5</c>; the shares add up to 100.</summary>
    public static Mix Parse(IEnumerable<string> shares)
    {
        var found = new double[Enum.GetValues<MixKind>().Length];
        foreach (string share in shares)
        {
            string[] parts = share.Split('=');
            bool isShare = parts.Length == 2 && Enum.TryParse(parts[0], ignoreCase: true, out MixKind kind) && !char.IsDigit(parts[0][0])
                && double.TryParse(parts[1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out found[(int)kind]);
            UsageException.Require(isShare, "--mix", $"'{share}'", "shares as in search=95,upsert=4,delete=1");
        }

        UsageException.Require(Math.Abs(found.Sum() - 100) < 1e-6, "--mix", found.Sum(), "shares that add up to 100");
        return new Mix(found);
    }

    public MixKind Next(ref SplitMix64 random)
    {
        double at = (random.Next() >> 11) * (100.0 / (1UL << 53));
        for (int kind = 0; kind < _shares.Length; kind++)
        {
            at -= _shares[kind];
            if (at < 0)
                return (MixKind)kind;
        }

        return Kinds.Last();
    }
}
