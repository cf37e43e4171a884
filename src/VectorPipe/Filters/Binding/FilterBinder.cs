using System.Text;
using VectorPipe.Filters.Algebra;
using VectorPipe.Filters.Text;

namespace VectorPipe.Filters.Binding;

/// <summary>Binds a filter to a schema.</summary>
internal sealed class FilterBinder
{
    private readonly CollectionSchema _schema;
    private readonly List<BoundLeaf> _leaves = [];

    private FilterBinder(CollectionSchema schema) => _schema = schema;

    /// <summary>Binds a filter.</summary>
    /// <exception cref="InvalidFilterException">The schema has no such attribute, or one of another type.</exception>
    public static BoundFilter Bind(FilterNode node, CollectionSchema schema)
    {
        if (node is ConstantNode constant)
            return new BoundFilter([], constant.Value ? BoundFilter.Match : BoundFilter.NoMatch);
        var binder = new FilterBinder(schema);
        binder.Add(node, BoundFilter.Match, BoundFilter.NoMatch);
        return new BoundFilter([.. binder._leaves], 0);
    }

    // Leaves are in the order of the text, so a node ends where its number of leaves says. Recurs no deeper than the limit of depth.
    private void Add(FilterNode node, int onPass, int onFail)
    {
        if (node is not GroupNode group)
        {
            _leaves.Add(LeafOf(node, onPass, onFail));
            return;
        }

        for (int i = 0; i < group.Nodes.Length; i++)
        {
            FilterNode child = group.Nodes[i];
            int next = _leaves.Count + CountLeaves(child);
            bool isLast = i == group.Nodes.Length - 1;
            Add(child, group.IsAnd && !isLast ? next : onPass, group.IsAnd || isLast ? onFail : next);
        }
    }

    private static int CountLeaves(FilterNode node)
    {
        if (node is not GroupNode group)
            return 1;
        int count = 0;
        foreach (FilterNode child in group.Nodes)
            count += CountLeaves(child);
        return count;
    }

    private BoundLeaf LeafOf(FilterNode node, int onPass, int onFail)
    {
        if (node is ItemsNode items)
        {
            (int set, AttributeType setType) = Find(items.Attribute);
            if (setType != AttributeType.StringSet)
                throw new InvalidFilterException(
                    $"Attribute '{items.Attribute}' ({setType}): expected a comparison with a single value, found what sets of strings "
                    + $"contain: {Literal(items.Items[0])}.");
            return new ItemsLeaf(items.Attribute, set, items) { OnPass = onPass, OnFail = onFail };
        }

        var value = (ValueNode)node;
        (int place, AttributeType type) = Find(value.Attribute);
        if (value.Family == ValueFamily.Any)
            return new PresenceLeaf(value.Attribute, place, type, value.MatchesMissing) { OnPass = onPass, OnFail = onFail };
        if (FilterValue.FamilyOf(type) != value.Family)
            throw WrongType(value, type);
        if (value.Family is ValueFamily.Text or ValueFamily.Guid)
            return new BytesLeaf(value.Attribute, place, type, value.MatchesMissing, value.Values) { OnPass = onPass, OnFail = onFail };
        return new NumberLeaf(
            value.Attribute, place, type, value.MatchesMissing, value.Values.StartsInside, Thresholds.Of(type, value.Values),
            value.MatchesUnordered)
        {
            OnPass = onPass,
            OnFail = onFail,
        };
    }

    private (int Place, AttributeType Type) Find(string name)
    {
        for (int i = 0; i < _schema.Attributes.Count; i++)
        {
            if (_schema.Attributes[i].Name == name)
                return (i, _schema.Attributes[i].Type);
        }

        string[] known = [.. _schema.Attributes.Select(attribute => attribute.Name)];
        string list = known.Length == 0 ? "it has none" : string.Join(", ", known);
        string hint = NearName.Find(name, known) is { } near ? $"; did you mean '{near}'?" : ".";
        throw new InvalidFilterException($"Filter: expected attributes of the schema ({list}), found '{name}'{hint}");
    }

    private static InvalidFilterException WrongType(ValueNode node, AttributeType type)
    {
        string expected = type switch
        {
            AttributeType.Boolean => "true or false",
            AttributeType.Int64 or AttributeType.Double => "a number",
            AttributeType.String => "a text",
            AttributeType.Guid => "a Guid",
            AttributeType.DateTimeOffset => "a time",
            _ => "what the set contains, not a comparison of it",
        };
        string found = node.Values.Cuts.Length == 0 ? $"{node.Family}" : $"the {node.Family} {Literal(node.Values.Cuts[0].Value)}";
        return new InvalidFilterException($"Attribute '{node.Attribute}' ({type}): expected {expected}, found {found}.");
    }

    private static string Literal(AttributeValue value)
    {
        var text = new StringBuilder();
        LiteralPrinter.AppendValue(text, value);
        return text.ToString();
    }
}
