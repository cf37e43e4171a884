namespace VectorPipe;

/// <summary>Why a search ended. A search with fewer hits than were asked for always says why.</summary>
public enum SearchEnd
{
    /// <summary>It found as many hits as were asked for.</summary>
    Complete = 0,

    /// <summary>There are fewer hits than were asked for, because the index holds no more vectors.</summary>
    AllVectors = 1,

    /// <summary>There are fewer hits than were asked for, because the search reached the end of what its options let it look at. More
    /// probes or a longer list find more.</summary>
    Limit = 2,
}
