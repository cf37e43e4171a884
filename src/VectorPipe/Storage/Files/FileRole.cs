namespace VectorPipe.Storage.Files;

/// <summary>The purpose of a file of an index or a collection. The numeric values are part of the file format.</summary>
internal enum FileRole : ushort
{
    /// <summary>Vectors, keys and link lists; one page per read.</summary>
    Nodes = 1,

    /// <summary>Codes of all nodes, in node order, loaded at opening. IVF: codes by list, read by searches.</summary>
    Codes = 2,

    /// <summary>The code book of the quantizer; loaded at opening.</summary>
    CodeBook = 3,

    /// <summary>The key directory, from keys to internal ids by hash; nearly always one page per look-up.</summary>
    Keys = 4,

    /// <summary>Merged layout: entry points, and a few links per page; loaded at opening.</summary>
    PageGraph = 5,

    /// <summary>The original vectors, in node order, if pages hold them rounded; one page per look-up.</summary>
    Vectors = 6,

    /// <summary>IVF: centroids, the graph over them, and the rows of each list; loaded at opening.</summary>
    Lists = 8,

    /// <summary>Of a collection: records of any length under 64-bit handles.</summary>
    Records = 9,

    /// <summary>Of a collection: the key directory of <see cref="Records"/>, from handles to places.</summary>
    RecordKeys = 10,

    /// <summary>Of a collection: what checkpoints changed of an index in memory.</summary>
    Changes = 11,

    /// <summary>Of a collection: the attributes of the records that a build took, in node order; loaded by the first filter.</summary>
    Columns = 12,
}
