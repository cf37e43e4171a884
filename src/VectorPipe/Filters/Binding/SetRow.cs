namespace VectorPipe.Filters.Binding;

/// <summary>Attributes in memory.</summary>
internal readonly struct SetRow(AttributeSet attributes) : IAttributeRow
{
    /// <exception cref="InvalidRecordException">The attribute has another type than in the schema.</exception>
    public bool Passes(BoundLeaf leaf)
    {
        if (!attributes.TryGetValue(leaf.Name, out AttributeValue value))
            return leaf.PassesMissing;
        if (value.Type != leaf.Type)
            throw new InvalidRecordException($"Attribute '{leaf.Name}': expected {leaf.Type}, found {value.Type}.");
        return leaf.Passes(value);
    }
}
