using VectorPipe.Building.Layout;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Building.PagePhases;

/// <summary>The form in which the files of a graph index hold its vectors.</summary>
/// <param name="Merged">The division of a page.</param>
/// <param name="Layout">The layout of a node page.</param>
/// <param name="Originals">The file of the original vectors; null if pages hold them, or if they are dropped.</param>
internal sealed record IndexFileSet(MergedPageLayout Merged, NodeLayout Layout, OriginalVectorLayout? Originals)
{
    /// <summary>Whether pages hold rounded vectors.</summary>
    public bool IsRounded => Merged.Stored is not null;

    /// <summary>The form that follows from the size of the vectors and from the requested contents of a page.</summary>
    public static IndexFileSet Of(BuildSize vectors, double pageGraphBytes, PageOverrides content, bool dropVectors)
    {
        MergedPageLayout merged = PageShapes.Of(vectors.Type, vectors.Dimension, vectors.Count, pageGraphBytes, content);
        bool isKept = merged.Stored is not null && !dropVectors;
        return new IndexFileSet(
            merged, merged.CreateLayout(vectors.Type, vectors.Dimension),
            isKept ? new OriginalVectorLayout(vectors.Type, vectors.Dimension) : null);
    }
}
