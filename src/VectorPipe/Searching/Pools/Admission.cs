using VectorPipe.Searching.Filtering;

namespace VectorPipe.Searching.Pools;

/// <summary>Which vectors may be hits of a search, however near others are.</summary>
/// <param name="Hidden">Vectors that are no hits; null for none.</param>
/// <param name="Matches">The nodes that may be hits; null for all.</param>
internal readonly record struct Admission(IHiddenKeys? Hidden, MatchSet? Matches)
{
    /// <summary>Whether a node is among those that may be hits.</summary>
    public bool Selects(uint id) => Matches is null || Matches.Contains(id);

    /// <summary>Whether a vector is no hit by its key.</summary>
    public bool Hides(ulong key) => Hidden is not null && Hidden.Hides(key);
}
