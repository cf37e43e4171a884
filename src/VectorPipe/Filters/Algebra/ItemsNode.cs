namespace VectorPipe.Filters.Algebra;

/// <summary>What a set of strings must contain, or must not.</summary>
internal sealed class ItemsNode : FilterNode
{
    private readonly string[] _items;

    private ItemsNode(string attribute, string[] items, bool isAll, bool isNegated)
    {
        Attribute = attribute;
        _items = items;
        IsAll = isAll && items.Length > 1;
        IsNegated = isNegated;
    }

    public string Attribute { get; }

    /// <summary>The items, in the order of their UTF-8, at least one.</summary>
    public ReadOnlySpan<string> Items => _items;

    /// <summary>Whether the set must contain all items; otherwise, any; one item counts as any.</summary>
    public bool IsAll { get; }

    /// <summary>Whether the sets match that do not contain the items, and missing ones.</summary>
    public bool IsNegated { get; }

    protected override int Rank => 2;

    /// <summary>The node; a constant if there are no items.</summary>
    public static FilterNode Of(string attribute, IEnumerable<string> items, bool isAll)
    {
        string[] rising = [.. new SortedSet<string>(items, Comparer<string>.Create(TextOrder.Compare))];
        if (rising.Length > 0)
            return new ItemsNode(attribute, rising, isAll, isNegated: false);

        // A set that is there contains all of nothing.
        return isAll ? ValueNode.Exists(attribute) : ConstantNode.False;
    }

    /// <summary>Whether this node in such a group merges with others of its attribute and sign.</summary>
    public bool CanMerge(bool isAnd) => _items.Length == 1 || IsAll == (isAnd != IsNegated);

    /// <summary>Merges nodes of one attribute and sign that can be merged.</summary>
    public static ItemsNode Merge(IEnumerable<ItemsNode> nodes, bool isAnd)
    {
        ItemsNode[] all = [.. nodes];
        bool isNegated = all[0].IsNegated;
        var items = new SortedSet<string>(all.SelectMany(node => node._items), Comparer<string>.Create(TextOrder.Compare));
        return new ItemsNode(all[0].Attribute, [.. items], isAnd != isNegated, isNegated);
    }

    public override FilterNode Negate() => new ItemsNode(Attribute, _items, IsAll, !IsNegated);

    public override int GetHashCode() => HashCode.Combine(Attribute, _items.Length, _items[0], IsAll, IsNegated);

    protected override int CompareToSameKind(FilterNode other)
    {
        var node = (ItemsNode)other;
        int order = string.CompareOrdinal(Attribute, node.Attribute);
        order = order != 0 ? order : IsNegated.CompareTo(node.IsNegated);
        order = order != 0 ? order : IsAll.CompareTo(node.IsAll);
        order = order != 0 ? order : _items.Length.CompareTo(node._items.Length);
        for (int i = 0; order == 0 && i < _items.Length; i++)
            order = string.CompareOrdinal(_items[i], node._items[i]);
        return order;
    }
}
