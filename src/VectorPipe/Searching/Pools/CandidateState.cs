namespace VectorPipe.Searching.Pools;

/// <summary>The state of a candidate.</summary>
internal enum CandidateState : byte
{
    /// <summary>Its page has not been asked for.</summary>
    Unvisited,

    /// <summary>Its page is in flight.</summary>
    Submitted,

    /// <summary>Submitted, and its page is here: it can be expanded without a read.</summary>
    Loaded,

    /// <summary>It was expanded.</summary>
    Visited,
}
