using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Opening;

/// <summary>Chooses the kind of an index by its schema.</summary>
internal static class IndexKinds
{
    public static IndexKindOperations Of(IndexSchema schema) => schema.Lists is null ? GraphKind.Instance : IvfKind.Instance;
}
