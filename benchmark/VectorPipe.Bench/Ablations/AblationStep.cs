using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Bench.Ablations;

/// <summary>A step of the ladder: an index, and a way to search it.</summary>
/// <param name="Name">The addition of this step, in a word.</param>
/// <param name="Index">The index; null if the step cannot be measured.</param>
/// <param name="Mode">The search mode, by name.</param>
/// <param name="Policy">The policy whose knob is turned until the recall is reached.</param>
/// <param name="Note">The step in words, or the reason why it cannot be measured.</param>
internal sealed record AblationStep(string Name, AblationIndex? Index, string Mode, SearchPolicy Policy, string Note)
{
    /// <summary>Whether a search enters at a sample of all nodes instead of the index's entry points.</summary>
    public bool EntersBySample { get; init; }

    /// <summary>Follow factor; null for the default of the policy.</summary>
    public float? FollowFactor { get; init; } = float.PositiveInfinity;

    /// <summary>Whether exact distances are computed after the next reads are issued, if the layout allows it.</summary>
    public bool ResultsLate { get; init; }

    /// <summary>Whether queries also enter at the results of the thread's latest queries.</summary>
    public bool EntersAtRecentResults { get; init; }

    public SearchWidth Width { get; init; }

    /// <summary>Size of the cache as a share of the node file, 0 to 1.</summary>
    public double CacheShare { get; init; }

    public SearchEffort Effort { get; init; } = SearchEffort.Default;

    /// <summary>The group of the step; null if only its name selects it.</summary>
    public string? Group { get; init; } = AblationLadder.Ladder;
}
