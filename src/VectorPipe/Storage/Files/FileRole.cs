namespace VectorPipe.Storage.Files;

/// <summary>What a file of an index is for. The numeric values are part of the file format.</summary>
internal enum FileRole : ushort
{
    /// <summary>Vectors, keys and link lists, one page a read.</summary>
    Nodes = 1,

    /// <summary>
    /// Compressed codes of all nodes, in node order; loaded when the index is opened. Of an index of lists: the codes of each list from a
    /// page of its own, read by searches.
    /// </summary>
    Codes = 2,

    /// <summary>The quantizer's code book; loaded when the index is opened.</summary>
    CodeBook = 3,

    /// <summary>The key directory: from keys to internal ids, by hash; one page a look-up, nearly always.</summary>
    Keys = 4,

    /// <summary>Entry points, and a few links a page; loaded when an index of the merged layout is opened.</summary>
    PageGraph = 5,

    /// <summary>The vectors as they were given, in node order, where pages hold them rounded; one page a look-up.</summary>
    Vectors = 6,

    /// <summary>Centroids, the graph over them, and the rows of each list; loaded when an index of lists is opened.</summary>
    Lists = 8,
}
