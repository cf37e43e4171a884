using VectorPipe.Searching.Filtering;

namespace VectorPipe.Searching.Pools;

/// <summary>Which vectors may be hits of a search, however near others are.</summary>
/// <param name="Hidden">Vectors that are no hits; null for none.</param>
/// <param name="Matches">The nodes that may be hits; null for all.</param>
internal readonly record struct Admission(IHiddenKeys? Hidden, MatchSet? Matches)
{
    /// <summary>Whether a vector may be a hit.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="id">Its internal id.</param>
    public bool Admits(ulong key, uint id) => (Matches is null || Matches.Contains(id)) && (Hidden is null || !Hidden.Hides(key));
}
