namespace VectorPipe;

/// <summary>What a collection is, see <see cref="VectorCollection.Inspect"/>. Immutable.</summary>
public sealed record CollectionInfo
{
    /// <summary>The directory.</summary>
    public required string Directory { get; init; }

    /// <summary>The type of the keys: that with which the collection is opened.</summary>
    public required KeyType KeyType { get; init; }

    /// <summary>The schema.</summary>
    public required CollectionSchema Schema { get; init; }

    /// <summary>The index of the generation in force; null before the first rebuild, and while it would be empty.</summary>
    /// <remarks>Its vectors include those that were replaced or deleted since, and miss those that were written since.</remarks>
    public IndexInfo? Index { get; init; }

    /// <summary>Everything else, for people to read: checkpoints and files. Names and values may change in any version.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Details { get; internal init; } = [];
}
