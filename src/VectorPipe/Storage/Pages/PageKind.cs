namespace VectorPipe.Storage.Pages;

/// <summary>What a page holds. The numeric values are part of the file format.</summary>
internal enum PageKind : ushort
{
    /// <summary>Page 0 of every file: names the file's role, its identity and its shape.</summary>
    FileHeader = 1,

    /// <summary>Nodes in the plain layout: each slot carries key, vector and its own link list.</summary>
    PlainNodes = 2,

    /// <summary>A piece of a byte stream (codes, code book).</summary>
    Stream = 3,

    /// <summary>Entries of one bucket of the key directory.</summary>
    KeyBucket = 4,

    /// <summary>Nodes in the merged layout: near nodes, replicas, and the page's links.</summary>
    MergedNodes = 5,

    /// <summary>Keys and vectors as they were given.</summary>
    GivenVectors = 6,

    /// <summary>Keys and vectors of one list.</summary>
    ListVectors = 8,

    /// <summary>Compressed codes of one list, one after another.</summary>
    ListCodes = 9,
}
