using System.Diagnostics;
using System.Runtime.Intrinsics;

namespace VectorPipe.Filters.Binding;

/// <summary>Whether a truth value, a number or a time is in a set, as thresholds in an order of 64-bit integers.</summary>
internal sealed class NumberLeaf : BoundLeaf
{
    // Comparing a number with more thresholds takes longer than a search among them.
    private const int MostCompared = 16;

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

    /// <summary>Tells which numbers pass, as <see cref="PassesBits(long)"/>.</summary>
    /// <param name="bits">The numbers.</param>
    /// <param name="passes">Receives a bit for each, 64 in an element.</param>
    public void PassesBits(ReadOnlySpan<long> bits, Span<ulong> passes)
    {
        for (int i = 0; i < passes.Length; i++)
        {
            ReadOnlySpan<long> some = bits.Slice(i * 64, Math.Min(64, bits.Length - (i * 64)));
            ulong word = 0;
            int at = 0;
            if (_thresholds.Length <= MostCompared)
            {
                for (; at <= some.Length - Vector256<long>.Count; at += Vector256<long>.Count)
                    word |= (ulong)Compare(Vector256.Create(some[at..])).ExtractMostSignificantBits() << at;
            }

            for (; at < some.Length; at++)
                word |= PassesBits(some[at]) ? 1ul << at : 0;
            passes[i] = word;
        }
    }

    // A value is inside if it has passed an odd number of thresholds, or an even one where the least values are.
    private Vector256<long> Compare(Vector256<long> bits)
    {
        Vector256<long> isNumber = Vector256<long>.AllBitsSet;
        if (Type == AttributeType.Double)
        {
            Vector256<double> numbers = bits.AsDouble() + Vector256<double>.Zero;
            isNumber = Vector256.Equals(numbers, numbers).AsInt64();
            bits = numbers.AsInt64();
            bits ^= (bits >> 63) & Vector256.Create(long.MaxValue);
        }

        Vector256<long> inside = _startsInside ? Vector256<long>.AllBitsSet : Vector256<long>.Zero;
        foreach (long threshold in _thresholds)
            inside ^= Vector256.GreaterThanOrEqual(bits, Vector256.Create(threshold));
        return Vector256.ConditionalSelect(isNumber, inside, _passesNaN ? Vector256<long>.AllBitsSet : Vector256<long>.Zero);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int i = 1; i < _thresholds.Length; i++)
            Debug.Assert(_thresholds[i - 1] < _thresholds[i], "the thresholds rise");
    }
}
