using Microsoft.Extensions.AI;

namespace VectorPipe.Extensions.VectorData;

/// <summary>How a <see cref="VectorPipeVectorStore"/> opens its collections. Immutable.</summary>
public sealed record VectorPipeVectorStoreOptions
{
    /// <summary>Makes embeddings of vector properties that are no vectors, for collections that name no generator of their own. Default:
    /// none.</summary>
    public IEmbeddingGenerator? EmbeddingGenerator { get; init; }

    /// <summary>Options of each collection that the store opens: durability, memory, building. Default: those of
    /// <see cref="CollectionOptions"/>, and an engine for all of them.</summary>
    public CollectionOptions? CollectionOptions { get; init; }
}
