namespace VectorPipe.Model;

/// <summary>What a page of the index holds.</summary>
internal enum IndexLayout
{
    /// <summary>Near vectors, replicas of their neighbours, the links out of the page, each once; a page graph in memory.</summary>
    Merged,

    /// <summary>Near vectors, each with its own links, as in DiskANN.</summary>
    Plain,
}
