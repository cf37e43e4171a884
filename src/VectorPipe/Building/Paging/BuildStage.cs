namespace VectorPipe.Building.Paging;

/// <summary>Parts of a build that differ in what they hold in memory beside paged tables.</summary>
internal enum BuildStage
{
    /// <summary>Vectors are read.</summary>
    Read,

    /// <summary>The quantizer is trained.</summary>
    Train,

    /// <summary>Points are divided into leaves.</summary>
    Partition,

    /// <summary>Rows or links are shuffled.</summary>
    Shuffle,

    /// <summary>First links are chosen.</summary>
    Leaves,

    /// <summary>Links are merged with their reverse.</summary>
    Merge,

    /// <summary>Links are refined.</summary>
    Refine,

    /// <summary>The graph is repaired and checked.</summary>
    Finish,

    /// <summary>Nodes are packed into pages.</summary>
    Pack,

    /// <summary>The files are written.</summary>
    Write,

    /// <summary>The index is calibrated by searching it; the graph is gone.</summary>
    Calibrate,
}
