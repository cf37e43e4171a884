namespace VectorPipe;

/// <summary>What searches find of the queries that a program really asks, see <see cref="OpenOptions.FollowQueries"/>.</summary>
/// <param name="Queries">Queries of the sample: with 256, the recall is exact to about 0.7 points.</param>
/// <param name="Target">The recall that was aimed at: the default of <see cref="SearchOptions.TargetRecall"/>.</param>
/// <param name="Found">The recall that searches found with the calibration before this measurement; since then they follow it.</param>
public sealed record QueryRecall(int Queries, float Target, float Found);
