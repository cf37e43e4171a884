namespace VectorPipe;

/// <summary>How the graph of an index is made. Either way it is searched alike.</summary>
public enum GraphAlgorithm
{
    /// <summary>
    /// The vectors are divided into small groups of near neighbours, links are chosen from the groups around by blocked distance computations, and then refined
    /// by short local searches. A graph of the same quality in a fraction of the time, and the same graph at any number of threads.
    /// </summary>
    Partitioned = 0,

    /// <summary>Two-pass Vamana (Subramanya et al., DiskANN, NeurIPS 2019): every vector is searched for and linked in, twice. The same graph at one thread only.</summary>
    Vamana = 1,
}
