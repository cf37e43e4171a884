using System.Diagnostics;

namespace VectorPipe.Filters.Binding;

/// <summary>Whether a truth value, a number or a time is in a set, as thresholds in an order of 64-bit integers.</summary>
internal sealed class NumberLeaf : BoundLeaf
{
    private readonly bool _startsInside;
    private readonly long[] _thresholds;
    private readonly bool _passesNaN;

    /// <param name="name">The attribute's name.</param>
    /// <param name="place">Its place in the schema.</param>
    /// <param name="type">Its type.</param>
    /// <param name="passesMissing">Whether records without the attribute pass.</param>
    /// <param name="startsInside">Whether the least values pass.</param>
    /// <param name="thresholds">Values from which on it changes whether a value passes, rising.</param>
    /// <param name="passesNaN">Whether NaN passes.</param>
    public NumberLeaf(
        string name, int place, AttributeType type, bool passesMissing, bool startsInside, long[] thresholds, bool passesNaN)
        : base(name, place, type, passesMissing)
    {
        _startsInside = startsInside;
        _thresholds = thresholds;
        _passesNaN = passesNaN;
        AssertInvariants();
    }

    /// <summary>Doubles as integers in the same order; both zeros are 0.</summary>
    public static long OrderOf(double number)
    {
        long bits = BitConverter.DoubleToInt64Bits(number + 0.0);
        return bits < 0 ? bits ^ long.MaxValue : bits;
    }

    public override bool Passes(AttributeValue value) => PassesBits(value.Type switch
    {
        AttributeType.Boolean => value.AsBoolean() ? 1 : 0,
        AttributeType.Int64 => value.AsInt64(),
        AttributeType.Double => BitConverter.DoubleToInt64Bits(value.AsDouble()),
        _ => value.AsDateTimeOffset().UtcTicks,
    });

    public override bool PassesBits(long bits)
    {
        if (Type == AttributeType.Double)
        {
            double number = BitConverter.Int64BitsToDouble(bits);
            if (double.IsNaN(number))
                return _passesNaN;
            bits = OrderOf(number);
        }

        int found = Array.BinarySearch(_thresholds, bits);
        int passed = found < 0 ? ~found : found + 1;
        return _startsInside != (passed % 2 == 1);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int i = 1; i < _thresholds.Length; i++)
            Debug.Assert(_thresholds[i - 1] < _thresholds[i], "the thresholds rise");
    }
}
