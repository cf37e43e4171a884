namespace VectorPipe.Filters.Algebra;

/// <summary>A filter, or a part of one, in canonical form. Immutable.</summary>
/// <remarks>Not is part of the leaves: the factories move it there by de Morgan's laws, which hold as a leaf is true or false.</remarks>
internal abstract class FilterNode : IComparable<FilterNode>, IEquatable<FilterNode>
{
    /// <summary>Groups within groups; 0 for a leaf.</summary>
    public virtual int Depth => 0;

    /// <summary>Orders kinds of nodes.</summary>
    protected abstract int Rank { get; }

    /// <summary>The node that is true where this one is false.</summary>
    public abstract FilterNode Negate();

    /// <summary>A total order of filters, in which equal ones are equal.</summary>
    public int CompareTo(FilterNode? other) =>
        other is null ? 1 : Rank != other.Rank ? Rank.CompareTo(other.Rank) : CompareToSameKind(other);

    public bool Equals(FilterNode? other) => CompareTo(other) == 0;

    public override bool Equals(object? obj) => Equals(obj as FilterNode);

    public abstract override int GetHashCode();

    /// <summary>Compares with a node of the same kind.</summary>
    protected abstract int CompareToSameKind(FilterNode other);
}
