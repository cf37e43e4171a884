namespace VectorPipe;

/// <summary>Why a search ended, and why it has fewer hits than k.</summary>
public enum SearchEnd
{
    /// <summary>It found k hits.</summary>
    Complete = 0,

    /// <summary>It found fewer than k hits: the index holds no more vectors.</summary>
    AllVectors = 1,

    /// <summary>It found fewer than k hits: its options ended it. More probes or a longer list find more.</summary>
    Limit = 2,

    /// <summary>It found fewer than k hits, all that there are: no further vector matches the filter.</summary>
    AllMatches = 3,

    /// <summary>It found fewer than k hits: it found no further vector within <see cref="SearchOptions.Within"/>.</summary>
    AllWithin = 4,

    /// <summary><see cref="SearchOptions.MaxReads"/> ended it: the hits, k or fewer, are the best of what was read.</summary>
    MaxReads = 5,

    /// <summary><see cref="SearchOptions.Deadline"/> ended it: the hits, k or fewer, are the best of what was read.</summary>
    Deadline = 6,
}
