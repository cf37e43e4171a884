namespace VectorPipe.Server.Filtering;

/// <summary>A part of a filter. <c>fields</c> are the contents of the fields that the filter names, by their number.</summary>
internal abstract record FilterNode
{
    public abstract FilterValue Evaluate(ReadOnlySpan<FilterValue> fields);

    /// <summary>A number, text, array or null of the filter.</summary>
    public sealed record Constant(FilterValue Value) : FilterNode
    {
        public override FilterValue Evaluate(ReadOnlySpan<FilterValue> fields) => Value;
    }

    /// <summary>The content of a field.</summary>
    public sealed record Field(int Number) : FilterNode
    {
        public override FilterValue Evaluate(ReadOnlySpan<FilterValue> fields) => fields[Number];
    }

    public sealed record Not(FilterNode Operand) : FilterNode
    {
        public override FilterValue Evaluate(ReadOnlySpan<FilterValue> fields) => FilterValue.Of(!Operand.Evaluate(fields).IsTrue);
    }

    public sealed record Binary(FilterOperator Operator, FilterNode Left, FilterNode Right) : FilterNode
    {
        public override FilterValue Evaluate(ReadOnlySpan<FilterValue> fields) =>
            Operator.Apply(Left.Evaluate(fields), Right.Evaluate(fields));
    }
}
