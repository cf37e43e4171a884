namespace VectorPipe.Filters.Binding;

/// <summary>The attributes of one record, wherever they are.</summary>
internal interface IAttributeRow
{
    /// <summary>Whether the record passes a test.</summary>
    bool Passes(BoundLeaf leaf);
}
