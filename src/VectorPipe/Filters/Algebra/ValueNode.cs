namespace VectorPipe.Filters.Algebra;

/// <summary>What one attribute of a single value must be: all comparisons of it, and all that combine them, are one set.</summary>
internal sealed class ValueNode : FilterNode
{
    private ValueNode(string attribute, ValueFamily family, ValueSet values, bool matchesMissing, bool matchesUnordered)
    {
        Attribute = attribute;
        Family = family;
        Values = values;
        MatchesMissing = matchesMissing;
        MatchesUnordered = matchesUnordered;
    }

    public string Attribute { get; }

    /// <summary>The family of the values; Any if only presence is asked.</summary>
    public ValueFamily Family { get; }

    public ValueSet Values { get; }

    /// <summary>Whether records without the attribute match.</summary>
    public bool MatchesMissing { get; }

    /// <summary>Whether a NaN matches, which is in no range and equal to nothing.</summary>
    public bool MatchesUnordered { get; }

    protected override int Rank => 1;

    public static FilterNode Exists(string attribute) => Of(attribute, ValueFamily.Any, ValueSet.Full, false, true);

    /// <summary>The node, or a constant if it matches everything or nothing.</summary>
    public static FilterNode Of(
        string attribute, ValueFamily family, ValueSet values, bool matchesMissing = false, bool matchesUnordered = false)
    {
        if (family == ValueFamily.Boolean)
            values = OfBooleans(values);

        // Only numbers can be unordered: for others, the member has one value in every case.
        if (family is not (ValueFamily.Number or ValueFamily.Any))
            matchesUnordered = values.IsFull || (!values.IsEmpty && matchesMissing);
        if (values.IsFull && matchesUnordered && matchesMissing)
            return ConstantNode.True;
        if (values.IsEmpty && !matchesUnordered && !matchesMissing)
            return ConstantNode.False;
        if ((values.IsFull && matchesUnordered) || (values.IsEmpty && !matchesUnordered))
            family = ValueFamily.Any;
        return new ValueNode(attribute, family, values, matchesMissing, matchesUnordered);
    }

    /// <summary>Merges two nodes of one attribute, and of one family or any.</summary>
    public FilterNode Merge(ValueNode other, bool isAnd)
    {
        ValueFamily family = Family == ValueFamily.Any ? other.Family : Family;
        return isAnd
            ? Of(
                Attribute, family, Values.Intersect(other.Values), MatchesMissing && other.MatchesMissing,
                MatchesUnordered && other.MatchesUnordered)
            : Of(
                Attribute, family, Values.Union(other.Values), MatchesMissing || other.MatchesMissing,
                MatchesUnordered || other.MatchesUnordered);
    }

    public override FilterNode Negate() => Of(Attribute, Family, Values.Complement(), !MatchesMissing, !MatchesUnordered);

    public override int GetHashCode() => HashCode.Combine(Attribute, Family, Values, MatchesMissing, MatchesUnordered);

    protected override int CompareToSameKind(FilterNode other)
    {
        var node = (ValueNode)other;
        int order = string.CompareOrdinal(Attribute, node.Attribute);
        order = order != 0 ? order : Family.CompareTo(node.Family);
        order = order != 0 ? order : MatchesMissing.CompareTo(node.MatchesMissing);
        order = order != 0 ? order : MatchesUnordered.CompareTo(node.MatchesUnordered);
        order = order != 0 ? order : Values.StartsInside.CompareTo(node.Values.StartsInside);
        return order != 0 ? order : Values.Cuts.SequenceCompareTo(node.Values.Cuts);
    }

    // There are two values, so a set of them is their points.
    private static ValueSet OfBooleans(ValueSet values) => (values.Contains(false), values.Contains(true)) switch
    {
        (true, true) => ValueSet.Full,
        (true, false) => ValueSet.Point(false),
        (false, true) => ValueSet.Point(true),
        _ => ValueSet.Empty,
    };
}
