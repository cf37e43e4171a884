namespace VectorPipe.Storage.Pages;

/// <summary>The content of a page. The numeric values are part of the file format.</summary>
internal enum PageKind : ushort
{
    /// <summary>Page 0 of every file: its role, identity and shape.</summary>
    FileHeader = 1,

    /// <summary>Plain layout: each slot has a key, a vector and its own link list.</summary>
    PlainNodes = 2,

    /// <summary>A piece of a byte stream (codes, code book).</summary>
    Stream = 3,

    /// <summary>Entries of one bucket of the key directory.</summary>
    KeyBucket = 4,

    /// <summary>Merged layout: near nodes, replicas, and the page's links.</summary>
    MergedNodes = 5,

    /// <summary>Keys and original vectors.</summary>
    OriginalVectors = 6,

    /// <summary>IVF: keys and vectors of one list.</summary>
    ListVectors = 8,

    /// <summary>IVF: codes of one list.</summary>
    ListCodes = 9,
}
