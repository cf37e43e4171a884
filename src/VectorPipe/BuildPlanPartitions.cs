namespace VectorPipe;

/// <summary>How a build by <see cref="GraphAlgorithm.Partitioned"/> divides its work.</summary>
/// <param name="Leaves">Groups of near neighbours into which the vectors are divided, about.</param>
/// <param name="InLinkRanges">Ranges of targets by which links are made two-way: links into one range are in memory at a time for each thread.</param>
public sealed record BuildPlanPartitions(long Leaves, long InLinkRanges);
