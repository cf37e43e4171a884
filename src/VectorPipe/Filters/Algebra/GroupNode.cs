namespace VectorPipe.Filters.Algebra;

/// <summary>All of several nodes, or any of them.</summary>
internal sealed class GroupNode : FilterNode
{
    private readonly FilterNode[] _nodes;

    private GroupNode(bool isAnd, FilterNode[] nodes)
    {
        IsAnd = isAnd;
        _nodes = nodes;
        Depth = 1 + nodes.Max(node => node.Depth);
        if (Depth > FilterLimits.MaxDepth)
            throw new InvalidFilterException($"Expected at most {FilterLimits.MaxDepth} levels of filters within filters, found {Depth}.");
    }

    /// <summary>Whether all nodes must match; otherwise, any.</summary>
    public bool IsAnd { get; }

    /// <summary>Two nodes or more in their order, no constant and no group of this kind among them.</summary>
    public ReadOnlySpan<FilterNode> Nodes => _nodes;

    public override int Depth { get; }

    protected override int Rank => 3;

    /// <summary>The canonical form of a group: flat, merged by attribute, without constants and repetition, sorted.</summary>
    /// <exception cref="InvalidFilterException">It is too deep.</exception>
    public static FilterNode Of(bool isAnd, IEnumerable<FilterNode> nodes)
    {
        var flat = new List<FilterNode>();
        foreach (FilterNode node in nodes)
            flat.AddRange(node is GroupNode group && group.IsAnd == isAnd ? group._nodes : [node]);

        var sorted = new SortedSet<FilterNode>(MergedItems(flat, isAnd));
        foreach (FilterNode merged in MergedValues(flat.OfType<ValueNode>(), isAnd))
            sorted.Add(merged);

        // True changes nothing in an and, false nothing in an or; the other decides.
        sorted.Remove(ConstantNode.Of(isAnd));
        if (sorted.Contains(ConstantNode.Of(!isAnd)))
            return ConstantNode.Of(!isAnd);
        return sorted.Count switch
        {
            0 => ConstantNode.Of(isAnd),
            1 => sorted.Min!,
            _ => new GroupNode(isAnd, [.. sorted]),
        };
    }

    public override FilterNode Negate() => Of(!IsAnd, _nodes.Select(node => node.Negate()));

    public override int GetHashCode()
    {
        var hash = new HashCode();
        hash.Add(IsAnd);
        foreach (FilterNode node in _nodes)
            hash.Add(node);
        return hash.ToHashCode();
    }

    protected override int CompareToSameKind(FilterNode other)
    {
        var group = (GroupNode)other;
        return IsAnd != group.IsAnd ? IsAnd.CompareTo(group.IsAnd) : Nodes.SequenceCompareTo(group.Nodes);
    }

    private static List<FilterNode> MergedItems(List<FilterNode> nodes, bool isAnd)
    {
        var others = new List<FilterNode>(nodes.Where(node => node is not ValueNode && !CanMerge(node)));
        others.AddRange(
            nodes.OfType<ItemsNode>().Where(CanMerge).GroupBy(items => (items.Attribute, items.IsNegated))
                .Select(items => ItemsNode.Merge(items, isAnd)));
        return others;

        bool CanMerge(FilterNode node) => node is ItemsNode items && items.CanMerge(isAnd);
    }

    // Presence belongs to the first family of an attribute; a second family is an error as soon as the filter is bound.
    private static IEnumerable<FilterNode> MergedValues(IEnumerable<ValueNode> nodes, bool isAnd)
    {
        foreach (IGrouping<string, ValueNode> ofAttribute in nodes.GroupBy(node => node.Attribute))
        {
            FilterNode? merged = null;
            foreach (ValueNode node in ofAttribute.OrderBy(node => node.Family))
            {
                if (merged is ValueNode before && (before.Family == ValueFamily.Any || before.Family == node.Family))
                {
                    merged = before.Merge(node, isAnd);
                    continue;
                }

                if (merged is not null)
                    yield return merged;
                merged = node;
            }

            yield return merged!;
        }
    }
}
