namespace VectorPipe.Searching;

/// <summary>Which pages a search reads, and when it ends.</summary>
public enum SearchPolicy
{
    /// <summary>The page of the best candidate, until all of the <see cref="SearchOptions.ListSize"/> best are visited.</summary>
    List,

    /// <summary>
    /// The page of the best candidate, for as long as the distance at which the answer will end is at least <see cref="SearchOptions.Threshold"/> times that candidate's.
    /// </summary>
    Ratio,

    /// <summary>
    /// The page from which most is to be gained, for as long as it promises at least <see cref="SearchOptions.Threshold"/> results; how far codes may be off is known from the index's calibration.
    /// </summary>
    Gain,

    /// <summary>
    /// The page of the best candidate, until so many pages as <see cref="SearchOptions.Threshold"/> says, one after another, have brought nothing into the answer (relaxed monotonicity). Pages are
    /// counted once the five best candidates have all been asked for.
    /// </summary>
    Relaxed,
}
