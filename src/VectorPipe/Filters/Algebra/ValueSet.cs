using System.Diagnostics;

namespace VectorPipe.Filters.Algebra;

/// <summary>A set of values of one family, as the cuts between those that are in it and those that are not. Immutable.</summary>
/// <remarks>Points, ranges and their unions and complements all have this one form, so equal sets have equal cuts.</remarks>
internal sealed class ValueSet : IEquatable<ValueSet>
{
    private readonly Cut[] _cuts;

    private ValueSet(bool startsInside, Cut[] cuts)
    {
        // Every text is at least the empty one, and time has a first and a last instant: such cuts part nothing.
        if (cuts is [var first, ..] && IsLeast(first))
            (startsInside, cuts) = (!startsInside, cuts[1..]);
        if (cuts is [.., var last] && IsAfterGreatest(last))
            cuts = cuts[..^1];
        StartsInside = startsInside;
        _cuts = cuts;
        AssertInvariants();
    }

    public static ValueSet Full { get; } = new(startsInside: true, []);

    public static ValueSet Empty { get; } = new(startsInside: false, []);

    /// <summary>Whether the least values are in the set; each cut changes it.</summary>
    public bool StartsInside { get; }

    /// <summary>The cuts, rising.</summary>
    public ReadOnlySpan<Cut> Cuts => _cuts;

    public bool IsFull => StartsInside && _cuts.Length == 0;

    public bool IsEmpty => !StartsInside && _cuts.Length == 0;

    public static ValueSet Point(AttributeValue value) => new(startsInside: false, [new(value, false), new(value, true)]);

    /// <summary>All values below a cut.</summary>
    public static ValueSet Below(Cut cut) => new(startsInside: true, [cut]);

    /// <summary>All values above a cut.</summary>
    public static ValueSet Above(Cut cut) => new(startsInside: false, [cut]);

    /// <summary>All values between two cuts; none if they fall.</summary>
    public static ValueSet Between(Cut low, Cut high) => low.CompareTo(high) < 0 ? new(startsInside: false, [low, high]) : Empty;

    /// <summary>Single values of one family, in any order.</summary>
    public static ValueSet Points(IEnumerable<AttributeValue> values)
    {
        AttributeValue[] rising = [.. values];
        Array.Sort(rising, FilterValue.Compare);
        var cuts = new List<Cut>(2 * rising.Length);
        foreach (AttributeValue value in rising)
        {
            if (cuts.Count == 0 || FilterValue.Compare(cuts[^1].Value, value) != 0)
                cuts.AddRange([new Cut(value, false), new Cut(value, true)]);
        }

        return new(startsInside: false, [.. cuts]);
    }

    public ValueSet Complement() => new(!StartsInside, _cuts);

    public ValueSet Intersect(ValueSet other) => Combine(other, isIntersection: true);

    public ValueSet Union(ValueSet other) => Combine(other, isIntersection: false);

    /// <summary>The ranges of which the set consists, rising.</summary>
    public List<ValueRange> ToRanges()
    {
        var ranges = new List<ValueRange>();
        for (int i = StartsInside ? -1 : 0; i < _cuts.Length; i += 2)
            ranges.Add(new ValueRange(i < 0 ? null : _cuts[i], i + 1 < _cuts.Length ? _cuts[i + 1] : null));
        return ranges;
    }

    public bool Contains(AttributeValue value)
    {
        bool isInside = StartsInside;
        foreach (Cut cut in _cuts)
        {
            int order = FilterValue.Compare(cut.Value, value);
            if (order > 0 || (order == 0 && cut.IsAfter))
                break;
            isInside = !isInside;
        }

        return isInside;
    }

    public bool Equals(ValueSet? other) =>
        other is not null && StartsInside == other.StartsInside && _cuts.AsSpan().SequenceEqual(other._cuts);

    public override bool Equals(object? obj) => Equals(obj as ValueSet);

    public override int GetHashCode()
    {
        var hash = new HashCode();
        hash.Add(StartsInside);
        foreach (Cut cut in _cuts)
            hash.Add(cut);
        return hash.ToHashCode();
    }

    private static bool IsLeast(Cut cut) => !cut.IsAfter && cut.Value.Type switch
    {
        AttributeType.String => cut.Value.AsString().Length == 0,
        AttributeType.DateTimeOffset => cut.Value.AsDateTimeOffset().UtcTicks == 0,
        _ => false,
    };

    private static bool IsAfterGreatest(Cut cut) =>
        cut.IsAfter && cut.Value.Type == AttributeType.DateTimeOffset
        && cut.Value.AsDateTimeOffset().UtcTicks == DateTimeOffset.MaxValue.UtcTicks;

    // Walks both lists of cuts at once, and keeps those where membership of the result changes.
    private ValueSet Combine(ValueSet other, bool isIntersection)
    {
        bool inThis = StartsInside;
        bool inOther = other.StartsInside;
        bool starts = Result();
        bool isInside = starts;
        var cuts = new List<Cut>(_cuts.Length + other._cuts.Length);
        int i = 0;
        int j = 0;
        while (i < _cuts.Length || j < other._cuts.Length)
        {
            int order = i == _cuts.Length ? 1 : j == other._cuts.Length ? -1 : _cuts[i].CompareTo(other._cuts[j]);
            Cut cut = order <= 0 ? _cuts[i] : other._cuts[j];
            if (order <= 0)
            {
                inThis = !inThis;
                i++;
            }

            if (order >= 0)
            {
                inOther = !inOther;
                j++;
            }

            if (Result() == isInside)
                continue;
            isInside = !isInside;
            cuts.Add(cut);
        }

        return new ValueSet(starts, [.. cuts]);

        bool Result() => isIntersection ? inThis && inOther : inThis || inOther;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int i = 1; i < _cuts.Length; i++)
            Debug.Assert(_cuts[i - 1].CompareTo(_cuts[i]) < 0, "the cuts rise");
    }
}
