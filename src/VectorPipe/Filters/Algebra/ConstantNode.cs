namespace VectorPipe.Filters.Algebra;

/// <summary>Every record, or none.</summary>
internal sealed class ConstantNode : FilterNode
{
    private ConstantNode(bool value) => Value = value;

    public static ConstantNode True { get; } = new(true);

    public static ConstantNode False { get; } = new(false);

    public bool Value { get; }

    protected override int Rank => 0;

    public static ConstantNode Of(bool value) => value ? True : False;

    public override FilterNode Negate() => Of(!Value);

    public override int GetHashCode() => Value.GetHashCode();

    protected override int CompareToSameKind(FilterNode other) => Value.CompareTo(((ConstantNode)other).Value);
}
