using VectorPipe.Building.Layout;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>What the files of an index hold of its vectors.</summary>
/// <param name="Merged">How pages are divided in the merged layout; null for the plain one.</param>
/// <param name="Layout">Where things lie in a node page.</param>
/// <param name="Given">The file of the vectors as they were given; null if pages hold them so, or if they are dropped.</param>
internal sealed record PageForm(MergedShape? Merged, NodeLayout Layout, GivenVectorLayout? Given)
{
    /// <summary>Whether pages hold vectors rounded.</summary>
    public bool IsRounded => Merged?.Stored is not null;

    /// <summary>What the options ask for.</summary>
    /// <param name="options">How to build; checked.</param>
    /// <param name="source">The vectors; asked for their number and shape alone.</param>
    /// <param name="split">What a vector costs in memory at search time.</param>
    /// <param name="asGiven">Whether vectors are not to be rounded, whatever the options say.</param>
    public static PageForm Of(BuildOptions options, VectorSource source, MemorySplit split, bool asGiven = false)
    {
        VectorElementType type = source.ElementType;
        int dimension = source.Dimension;
        if (options.ResolvedLayout == IndexLayout.Plain)
            return new PageForm(null, NodeLayout.Plain(type, dimension, options.MaxDegree), null);
        PageContent content = options.PageContent(type);
        MergedShape merged = PageShapes.Of(type, dimension, source.Count, split.PageGraphBytes, asGiven ? content with { Vectors = type } : content);
        bool isKept = merged.Stored is not null && !options.DropVectors;
        return new PageForm(merged, NodeLayout.Merged(type, dimension, merged), isKept ? new GivenVectorLayout(type, dimension) : null);
    }
}
