namespace VectorPipe.Reference.Searching;

/// <summary>Policies that choose pages and end a graph search: two of the library, and two to compare them with.</summary>
public enum SearchPolicy
{
    /// <summary>Reads the page of the best candidate until all candidates are visited.</summary>
    List,

    /// <summary>Reads the page of the best candidate while that is near enough, by a ratio of distances.</summary>
    Ratio,

    /// <summary>Reads the page of highest gain, down to the threshold.</summary>
    Gain,

    /// <summary>Reads the page of the best candidate until as many pages in a row as the threshold have added no result.</summary>
    Relaxed,
}
