using VectorPipe.Building.Layout;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Building.PagePhases;

/// <summary>What the files of an index hold of its vectors.</summary>
/// <param name="Merged">How pages are divided.</param>
/// <param name="Layout">Where things lie in a node page.</param>
/// <param name="Given">The file of the original vectors; null if pages hold them, or if they are dropped.</param>
internal sealed record IndexFileSet(MergedPageLayout Merged, NodeLayout Layout, OriginalVectorLayout? Given)
{
    /// <summary>Whether pages hold vectors rounded.</summary>
    public bool IsRounded => Merged.Stored is not null;

    /// <summary>The form that follows from the size of the vectors.</summary>
    /// <param name="vectors">The vectors.</param>
    /// <param name="pageGraphBytes">Memory for the page graph, bytes a vector.</param>
    /// <param name="content">What is asked of a page.</param>
    /// <param name="dropVectors">Whether original vectors are dropped if pages hold them rounded.</param>
    public static IndexFileSet Of(BuildSize vectors, double pageGraphBytes, PageOverrides content, bool dropVectors)
    {
        MergedPageLayout merged = PageShapes.Of(vectors.Type, vectors.Dimension, vectors.Count, pageGraphBytes, content);
        bool isKept = merged.Stored is not null && !dropVectors;
        return new IndexFileSet(
            merged, merged.CreateLayout(vectors.Type, vectors.Dimension),
            isKept ? new OriginalVectorLayout(vectors.Type, vectors.Dimension) : null);
    }
}
