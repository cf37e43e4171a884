namespace VectorPipe.Filters.Algebra;

/// <summary>Makes leaves of what a caller gave, checked.</summary>
internal static class Comparisons
{
    public static FilterNode Exists(string attribute)
    {
        FilterValue.RequireName(attribute);
        return ValueNode.Exists(attribute);
    }

    public static FilterNode Equal(string attribute, AttributeValue value) =>
        Of(attribute, value, ValueSet.Point, needsOrder: false);

    /// <summary>The attribute is there and differs.</summary>
    public static FilterNode NotEqual(string attribute, AttributeValue value) =>
        GroupNode.Of(isAnd: true, [Exists(attribute), Equal(attribute, value).Negate()]);

    public static FilterNode LessThan(string attribute, AttributeValue value) =>
        Of(attribute, value, known => ValueSet.Below(new Cut(known, IsAfter: false)));

    public static FilterNode LessThanOrEqual(string attribute, AttributeValue value) =>
        Of(attribute, value, known => ValueSet.Below(new Cut(known, IsAfter: true)));

    public static FilterNode GreaterThan(string attribute, AttributeValue value) =>
        Of(attribute, value, known => ValueSet.Above(new Cut(known, IsAfter: true)));

    public static FilterNode GreaterThanOrEqual(string attribute, AttributeValue value) =>
        Of(attribute, value, known => ValueSet.Above(new Cut(known, IsAfter: false)));

    /// <summary>Both ends belong to the range.</summary>
    public static FilterNode Between(string attribute, AttributeValue low, AttributeValue high)
    {
        FilterValue.RequireName(attribute);
        AttributeValue first = Ordered(attribute, low);
        AttributeValue last = Ordered(attribute, high);
        ValueFamily family = SameFamily(attribute, [first, last]);
        return ValueNode.Of(attribute, family, ValueSet.Between(new Cut(first, IsAfter: false), new Cut(last, IsAfter: true)));
    }

    public static FilterNode In(string attribute, IEnumerable<AttributeValue> values)
    {
        FilterValue.RequireName(attribute);
        ArgumentNullException.ThrowIfNull(values);
        AttributeValue[] known = [.. values.Select(value => FilterValue.Canonical(attribute, value))];
        return known.Length == 0
            ? ConstantNode.False
            : ValueNode.Of(attribute, SameFamily(attribute, known), ValueSet.Points(known));
    }

    public static FilterNode StartsWith(string attribute, string prefix)
    {
        FilterValue.RequireName(attribute);
        ArgumentNullException.ThrowIfNull(prefix);
        FilterValue.RequireText(attribute, prefix);
        var low = new Cut(prefix, IsAfter: false);
        ValueSet values = TextOrder.AfterPrefix(prefix) is { } next
            ? ValueSet.Between(low, new Cut(next, IsAfter: false))
            : ValueSet.Above(low);
        return ValueNode.Of(attribute, ValueFamily.Text, values);
    }

    /// <summary>A set of strings has all items, or any of them.</summary>
    public static FilterNode Contains(string attribute, IEnumerable<string> items, bool isAll)
    {
        FilterValue.RequireName(attribute);
        ArgumentNullException.ThrowIfNull(items);
        string[] known = [.. items];
        foreach (string item in known)
        {
            if (item is null)
                throw new InvalidFilterException($"Attribute '{attribute}': expected strings, found null among them.");
            FilterValue.RequireText(attribute, item);
        }

        return ItemsNode.Of(attribute, known, isAll);
    }

    private static FilterNode Of(
        string attribute, AttributeValue value, Func<AttributeValue, ValueSet> toSet, bool needsOrder = true)
    {
        FilterValue.RequireName(attribute);
        AttributeValue known = needsOrder ? Ordered(attribute, value) : FilterValue.Canonical(attribute, value);
        return ValueNode.Of(attribute, FilterValue.FamilyOf(known), toSet(known));
    }

    private static AttributeValue Ordered(string attribute, AttributeValue value)
    {
        AttributeValue known = FilterValue.Canonical(attribute, value);
        return FilterValue.FamilyOf(known) is ValueFamily.Number or ValueFamily.Text or ValueFamily.Time
            ? known
            : throw new InvalidFilterException(
                $"Attribute '{attribute}': expected a number, a text or a time as the end of a range, found the {value.Type} {value}.");
    }

    private static ValueFamily SameFamily(string attribute, AttributeValue[] values)
    {
        ValueFamily family = FilterValue.FamilyOf(values[0]);
        foreach (AttributeValue value in values)
        {
            if (FilterValue.FamilyOf(value) != family)
                throw new InvalidFilterException(
                    $"Attribute '{attribute}': expected values that can be compared with each other, found the {values[0].Type} "
                    + $"{values[0]} beside the {value.Type} {value}.");
        }

        return family;
    }
}
