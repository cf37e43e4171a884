namespace VectorPipe;

/// <summary>What searches find of the queries that a program really asks, see <see cref="OpenOptions.FollowQueries"/>.</summary>
/// <param name="Queries">Queries of the sample: with 256, the recall is exact to about 0.7 points.</param>
/// <param name="Target">The default of <see cref="SearchOptions.TargetRecall"/>, whatever the searches aimed at.</param>
/// <param name="Found">The recall that searches for 10 results with this target would have found with the calibration before; since then
/// searches follow the measurement.</param>
public sealed record QueryRecall(int Queries, float Target, float Found);
