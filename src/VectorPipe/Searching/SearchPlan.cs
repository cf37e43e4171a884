namespace VectorPipe.Searching;

/// <summary>How one query is searched: the options with everything that they left open filled in.</summary>
/// <param name="ListSize">Candidates kept.</param>
/// <param name="BeamWidth">Most reads in flight.</param>
/// <param name="Width">How many of them at which time.</param>
/// <param name="Mode">How reads overlap computation.</param>
/// <param name="Policy">Which pages are read, and when the search ends.</param>
/// <param name="Threshold">The policy's knob.</param>
/// <param name="FollowFactor">Merged layout: links of a node are followed if it is at most so many times as far as the answer will reach.</param>
/// <param name="EntersAtRecentResults">Whether it enters where the latest queries of its session ended, too.</param>
/// <param name="ResultsLate">Plain: whether exact distances are computed after the next reads were issued; null for the policy to say.</param>
/// <param name="Probe">Told of the candidates at the end; null for none.</param>
/// <param name="Trace">Receives the query's events; null for none.</param>
internal readonly record struct SearchPlan(int ListSize, int BeamWidth, SearchWidth Width, SearchMode Mode, SearchPolicy Policy, float Threshold, float FollowFactor, bool EntersAtRecentResults, bool? ResultsLate, SearchTrace? Trace, ICandidateProbe? Probe)
{
    /// <summary>Index of lists: lists that are scanned at most.</summary>
    public int Probes { get; init; }
}
