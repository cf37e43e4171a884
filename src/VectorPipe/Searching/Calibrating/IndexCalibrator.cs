using VectorPipe.Searching.Index;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Measures how exact distances of an index follow from code distances, and what searches of it find and cost.</summary>
/// <remarks>
/// Makes its own queries unless it is given some, see docs/decisions.md#synthetic-queries. Deterministic: the same index and queries give
/// the same calibration, on any number of threads.
/// </remarks>
internal static class IndexCalibrator
{
    /// <summary>Fewest vectors of an index that is calibrated: a search by list of fewer costs next to nothing.</summary>
    public const int LeastVectors = Calibration.LeastVectors;

    /// <summary>Queries by default: recall comes out within about half a point.</summary>
    public const int DefaultQueries = 400;

    // A build of a few thousand vectors took most of its time for 400 queries: an eighth of the vectors tells as much about the others.
    private const int LeastQueries = 125;
    private const int VectorsOfQuery = 8;

    /// <summary>Queries in flight, unless memory is short: what they find and cost does not depend on it.</summary>
    public const int MaxQueriesInFlight = 32;

    /// <summary>Most queries with which the build of an index of lists calibrates it: each scans some hundred lists.</summary>
    public const int ListQueries = 128;

    /// <summary>Queries in flight when an index of lists is built.</summary>
    public const int ListQueriesInFlight = 8;

    /// <summary>Queries with which a build calibrates an index of so many vectors.</summary>
    public static int QueriesFor(long vectors) => (int)Math.Clamp(vectors / VectorsOfQuery, LeastQueries, DefaultQueries);

    /// <summary>Bytes of memory that the calibration takes beside the index when an index of lists is built.</summary>
    /// <param name="vectorBytes">Bytes of a vector.</param>
    /// <param name="readBytes">Bytes of the longest read.</param>
    public static long ListMemoryBytes(long vectorBytes, long readBytes) =>
        SyntheticQueries<byte>.MemoryBytes(ListQueries, vectorBytes) + (SearchRunner.CapacityFor(ListQueriesInFlight) * readBytes)
        + (4L << 20);

    /// <summary>Calibrates an index.</summary>
    /// <param name="index">The index; the new calibration does not depend on its own.</param>
    /// <param name="queries">The queries, or how many to make at most.</param>
    /// <param name="queriesInFlight">Queries in flight, of all threads together.</param>
    /// <param name="threads">Most threads that search.</param>
    /// <param name="progress">Receives the searches done, and how many there are; may be null.</param>
    /// <param name="cancellationToken">Observed between searches.</param>
    public static Calibration Run(
        SearchIndex index, CalibrationQueries queries, int queriesInFlight, int threads, Action<long, long>? progress,
        CancellationToken cancellationToken) =>
        index.Schema.ElementType switch
        {
            VectorElementType.Float32 => new Calibrator<float>(index, queries, queriesInFlight, threads, progress, cancellationToken).Run(),
            VectorElementType.Float16 => new Calibrator<Half>(index, queries, queriesInFlight, threads, progress, cancellationToken).Run(),
            VectorElementType.UInt8 => new Calibrator<byte>(index, queries, queriesInFlight, threads, progress, cancellationToken).Run(),
            _ => new Calibrator<sbyte>(index, queries, queriesInFlight, threads, progress, cancellationToken).Run(),
        };
}
