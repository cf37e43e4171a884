namespace VectorPipe.Searching;

/// <summary>How many reads of one query may be in flight at once.</summary>
public enum SearchWidth
{
    /// <summary>Always as many as <see cref="SearchOptions.BeamWidth"/>.</summary>
    Fixed,

    /// <summary>
    /// Four, until the first five candidates have all been asked for; from then on one more with every arrival for as long as at most a tenth of the pages that arrive come
    /// too late for their candidates, up to <see cref="SearchOptions.BeamWidth"/>.
    /// </summary>
    Adaptive,

    /// <summary>4, 8, 16, 24 and 32, a step for every ten candidates that have all been asked for, up to <see cref="SearchOptions.BeamWidth"/>.</summary>
    Position,

    /// <summary>
    /// As many as there are pages that the <see cref="SearchOptions.Policy"/> would read now, but three at most until three pages have been taken in, then six until six more have, and so on, always twice
    /// as many, up to <see cref="SearchOptions.BeamWidth"/>. For <see cref="SearchPolicy.Gain"/> and <see cref="SearchPolicy.Ratio"/>; with the others there is always something to read.
    /// </summary>
    Remaining,
}
