namespace VectorPipe;

/// <summary>What a page of the index holds.</summary>
public enum IndexLayout
{
    /// <summary>
    /// Near vectors, replicas of their neighbours, and the links out of the page, each once; a few links a page are held in memory, too. A
    /// search reads a third to a half of the pages that it would
    /// read in the plain layout.
    /// </summary>
    Merged,

    /// <summary>Near vectors, each with its own links, as in DiskANN.</summary>
    Plain,
}
