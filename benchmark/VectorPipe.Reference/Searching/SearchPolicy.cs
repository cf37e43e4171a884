namespace VectorPipe.Reference.Searching;

/// <summary>Which pages a search of a graph reads, and when it ends: the two of the library and two that it is compared with.</summary>
public enum SearchPolicy
{
    /// <summary>The page of the best candidate, until all of the list are visited.</summary>
    List,

    /// <summary>The page of the best candidate, as long as the distance at which the answer will end is at least the threshold times that
    /// candidate's.</summary>
    Ratio,

    /// <summary>The page from which most is to be gained, as long as it promises at least as many results as the threshold.</summary>
    Gain,

    /// <summary>The page of the best candidate, until as many pages as the threshold says, one after another, have brought nothing into
    /// the answer.</summary>
    Relaxed,
}
