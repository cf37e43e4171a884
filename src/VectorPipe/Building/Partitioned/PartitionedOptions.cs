using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Partitioned;

/// <summary>Tunes a partitioned build; the defaults were measured on a million vectors of 128 bytes.</summary>
/// <remarks>A user chooses degree, alpha, threads and seed, see <see cref="GraphParameters"/>.</remarks>
internal sealed record PartitionedOptions
{
    // Ways are longer where there are more points; on fewer, more candidates cost 3 % of a build's processor time and more, mostly for
    // nothing (docs/decisions.md#long-links).
    private const long Many = 2_000_000;
    private const int LevelCandidatesOfMany = 20;

    /// <summary>Rows of a leaf that are processed together.</summary>
    public const int BlockRows = 256;

    /// <summary>Points of a leaf, on average.</summary>
    public int LeafSize { get; init; } = 200;

    /// <summary>Leaves in which a point looks for neighbours.</summary>
    public int Probes { get; init; } = 16;

    /// <summary>Leaves around a point's own among which its probes are chosen.</summary>
    public int NearLeaves { get; init; } = 96;

    /// <summary>Nearest candidates of a point from the leaves it looks into.</summary>
    public int NearCandidates { get; init; } = 64;

    /// <summary>The first sample level has one in so many points, the second one in so many of those, and so on.</summary>
    public int LevelRate { get; init; } = 8;

    /// <summary>Candidates of a point from each sample level: its long links (docs/decisions.md#long-links).</summary>
    public int LevelCandidates { get; init; } = 12;

    /// <summary>Samples of a level among which those candidates are chosen, at least.</summary>
    public int LevelSamples { get; init; } = 384;

    /// <summary>Candidates of a point drawn from the thinnest level: links to anywhere (docs/decisions.md#far-candidates).</summary>
    public int FarCandidates { get; init; } = 16;

    /// <summary>Candidates that a refining search keeps.</summary>
    public int RefineList { get; init; } = 64;

    /// <summary>Points that a refining search expands (docs/decisions.md#refinement-and-fill).</summary>
    public int RefineExpansions { get; init; } = 32;

    /// <summary>
    /// Lists are filled with near points that pruning left out, up to so many times the distance of candidate number R
    /// (docs/decisions.md#refinement-and-fill).
    /// </summary>
    public float Fill { get; init; } = 0.85f;

    /// <summary>Added to alpha after the leaf phase, for longer links; the inner product adds more.</summary>
    public float RefineAlphaExtra { get; init; }

    /// <summary>Most in-links of a point that are considered.</summary>
    public int HubLinks { get; init; } = 1024;

    /// <summary>Each round of repair searches for one in so many points: for more in small sets, for fewer in large ones.</summary>
    public int RepairRate { get; init; } = 8;

    /// <summary>L of the searches of repair and of the final check.</summary>
    public int RepairList { get; init; } = SelfCheck.DefaultListSize;

    /// <summary>Most rounds of repair.</summary>
    public int RepairRounds { get; init; } = 6;

    /// <summary>Repair ends when at most this share of the points searched for is missed.</summary>
    public double RepairGoal { get; init; } = 0.005;

    /// <summary>Most points that the final check searches for.</summary>
    public int CheckedPoints { get; init; } = SelfCheck.DefaultSampleSize;

    /// <summary>Nearest points of each point to return, 0 for none; at most <see cref="RefineList"/>.</summary>
    public int KeptNearest { get; init; }

    /// <summary>The options for so many points.</summary>
    public static PartitionedOptions For(long count) => count > Many ? new() { LevelCandidates = LevelCandidatesOfMany } : new();
}
