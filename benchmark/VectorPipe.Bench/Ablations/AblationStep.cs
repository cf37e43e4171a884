using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Bench.Ablations;

/// <summary>A step of the ladder: what is searched, and how.</summary>
/// <param name="Name">The step in a word: what it adds.</param>
/// <param name="Index">The index; null if the step cannot be measured.</param>
/// <param name="Mode">The mode, by name.</param>
/// <param name="Policy">What is read next, and when a search ends; its knob is turned until the recall is reached.</param>
/// <param name="Note">What the step is made of, or why it cannot be measured.</param>
internal sealed record AblationStep(string Name, AblationIndex? Index, string Mode, SearchPolicy Policy, string Note)
{
    /// <summary>Whether a search enters at a sample of all nodes instead of where the index says.</summary>
    public bool EntersBySample { get; init; }

    /// <summary>How far links are followed; null for the default of the policy.</summary>
    public float? FollowFactor { get; init; } = float.PositiveInfinity;

    /// <summary>Whether exact distances are computed after the next reads were issued, where they can be.</summary>
    public bool ResultsLate { get; init; }

    /// <summary>Whether queries enter where the latest of their thread ended, too.</summary>
    public bool EntersAtRecentResults { get; init; }

    /// <summary>How many reads of a query are in flight at which time.</summary>
    public SearchWidth Width { get; init; }

    /// <summary>Memory for pages as a share of the node file, 0 to 1.</summary>
    public double CacheShare { get; init; }

    /// <summary>How much is computed to save reads.</summary>
    public SearchEffort Effort { get; init; } = SearchEffort.Default;

    /// <summary>The group that the step belongs to; null if it is measured only by its own name.</summary>
    public string? Group { get; init; } = AblationLadder.Ladder;
}
