using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Opening;

/// <summary>The kinds of index that there are.</summary>
internal static class IndexKinds
{
    /// <summary>The kind of an index.</summary>
    public static IndexKindOperations Of(IndexSchema schema) => schema.Lists is null ? GraphKind.Instance : IvfKind.Instance;
}
