using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Partitioned;

/// <summary>How a partitioned build goes about its work; the defaults were measured on a million vectors of 128 bytes.</summary>
/// <remarks>What a user chooses (degree, alpha, threads, seed) is in <see cref="GraphParameters"/>.</remarks>
internal sealed record PartitionedOptions
{
    /// <summary>Rows of a leaf that are worked on together.</summary>
    public const int BlockRows = 256;

    /// <summary>Points of a leaf, on average.</summary>
    public int LeafSize { get; init; } = 200;

    /// <summary>Leaves that a point looks for neighbours in.</summary>
    public int Probes { get; init; } = 16;

    /// <summary>Leaves around a point's own among which its probes are chosen.</summary>
    public int NearLeaves { get; init; } = 96;

    /// <summary>Nearest candidates of a point out of the leaves it looks into.</summary>
    public int NearCandidates { get; init; } = 64;

    /// <summary>One point of so many is in the first sample level, of those one of so many in the second, and so on.</summary>
    public int LevelRate { get; init; } = 8;

    /// <summary>Candidates of a point from each sample level: its long links.</summary>
    public int LevelCandidates { get; init; } = 12;

    /// <summary>Samples of a level among which those candidates are chosen, at least.</summary>
    public int LevelSamples { get; init; } = 384;

    // Without draws the points of a cluster far from all others have links into the three that are nearest to theirs, and nowhere else.
    // Codes do not tell those points of a cluster that have a way out from the
    // others: of 200,000 points in 100 clusters (64 bytes each) searches with L = 100 missed the cluster of 5.2 % of the queries of one
    // seed, by codes of 64 bytes, which are all but exact; with 2 draws of none.
    // Eight sets, codes of 32 bytes, recall@10 less two-pass Vamana's at L = 10, 20, 30, 50, 100 with 8: -0.7, -0.3, +0.2, +0.4, +0.1, with
    // 16: +0.4, +0.5, +0.6, +0.4, 0.0. A million vectors of 128 bytes at L = 10 and 50
    // with 0, 4, 8, 16: 85.81, 85.69, 85.72, 85.77 and 99.14, 99.10, 99.14, 99.11 % at 22.4, 22.2, 22.1, 22.0 and 41.7, 41.5, 41.4, 41.3
    // reads.

    /// <summary>Candidates of a point besides, drawn from the thinnest level: links to anywhere.</summary>
    public int FarCandidates { get; init; } = 16;

    /// <summary>Candidates that a refining search keeps.</summary>
    public int RefineList { get; init; } = 64;

    // A million vectors of 128 bytes, recall@10 at L = 10, 20 and 50 with 28 and 32: 85.77, 94.86, 99.11 and 85.80, 95.00, 99.15 %
    // (two-pass Vamana 86.1, 95.3, 99.3); each 4 more take some 3 processor seconds of 80.
    // 25,000 document embeddings, three seeds, at L = 10 with 16, 24 and 32: 88.93, 89.08 and 89.29 % (89.52).

    /// <summary>Points that a refining search expands.</summary>
    public int RefineExpansions { get; init; } = 32;

    // Of a million vectors of 128 bytes that is 8 links a point more than pruning leaves (54 against 46): near ones, without which searches
    // with a short list miss answers. Without any, L = 10 loses 0.5 points
    // even with 32 expansions. Filled up to the degree, the same recall takes 14 processor seconds of 97 more, and clusters of 64
    // dimensions, whose points are all about as far from each other, lose: recall less
    // two-pass Vamana's at L = 50 and 100, mean of seven seeds, -0.8 and -0.5 filled up, -0.4 and -0.3 with 0.9, -0.1 and 0.0 with 0.85,
    // -0.3 and -0.2 without: codes tell too little for ever more near points to be scored by them.

    /// <summary>
    /// How far out lists are filled up with near points that pruning left out, of the distance of a point's candidate number R.
    /// </summary>
    public float Fill { get; init; } = 0.85f;

    /// <summary>
    /// What is added to alpha after the leaf phase, for longer links; the inner product gets more of them
    /// (<see cref="PartitionedBuilder"/>).
    /// </summary>
    public float RefineAlphaExtra { get; init; }

    /// <summary>In-links of a point that are considered, at most.</summary>
    public int HubLinks { get; init; } = 1024;

    /// <summary>One point of so many is searched for in the first round of repair; of a small set, and in further rounds, all.</summary>
    public int RepairRate { get; init; } = 8;

    /// <summary>L of the searches of repair and of the final check.</summary>
    public int RepairList { get; init; } = SelfCheck.DefaultListSize;

    /// <summary>Rounds of repair, at most.</summary>
    public int RepairRounds { get; init; } = 3;

    /// <summary>Repair ends when no larger share of the points searched for is missed.</summary>
    public double RepairGoal { get; init; } = 0.005;

    /// <summary>Points that the final check searches for, at most.</summary>
    public int CheckedPoints { get; init; } = SelfCheck.DefaultSampleSize;

    /// <summary>Nearest points of each point to hand back, 0 for none; at most <see cref="RefineList"/>.</summary>
    public int KeptNearest { get; init; }
}
