using VectorPipe.Searching.Index;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Measures on an index what its code distances say about exact ones, and what searches by gain find and cost.</summary>
/// <remarks>
/// <para>Nobody's queries are needed: a query is made of a vector of the index and the difference of two of its neighbours, cut to twice
/// the length at which the nearest neighbour lies. So it lies where the
/// data lies, as queries do, and is none of the vectors, whose own neighbourhoods the pages were packed for.</para>
/// <para>Deterministic: the same index gives the same calibration. Searches run on the calling thread.</para>
/// </remarks>
internal static class IndexCalibrator
{
    /// <summary>An index of fewer vectors is searched through by list at no cost worth measuring.</summary>
    public const int LeastVectors = Calibration.LeastVectors;

    /// <summary>Queries that are made: recall comes out within about half a point.</summary>
    public const int DefaultQueries = 400;

    /// <summary>Queries that are searched for at a time, unless memory is short: what they find and cost does not depend on it.</summary>
    public const int MaxQueriesInFlight = 32;

    /// <summary>Thresholds of the table.</summary>
    public static IReadOnlyList<float> Thresholds { get; } =
        [1f, 0.6f, 0.4f, 0.25f, 0.15f, 0.09f, 0.05f, 0.03f, 0.015f, 0.008f, 0.004f, 0.002f, 0.001f];

    /// <summary>Queries with which an index of lists is calibrated when it is built, at most: each scans some hundred lists.</summary>
    public const int ListQueries = 128;

    /// <summary>Queries that are searched for at a time when an index of lists is built.</summary>
    public const int ListQueriesInFlight = 8;

    /// <summary>Lists that a query of the truth scans, at most.</summary>
    public const int TruthProbes = 512;

    private const int MostProbes = 256;

    /// <summary>
    /// Numbers of lists that are scanned for the table of an index of so many lists, in order; it ends before if everything is found.
    /// </summary>
    public static IEnumerable<int> ProbesOf(int lists)
    {
        for (int probes = 1; probes <= MostProbes; probes *= 2)
        {
            yield return Math.Min(probes, lists);
            if (probes >= lists)
                yield break;
        }
    }

    /// <summary>Bytes of memory that the calibration of an index of lists takes beside the index itself, while it is built.</summary>
    /// <param name="vectorBytes">Bytes of a vector.</param>
    /// <param name="readBytes">Bytes of the longest read.</param>
    public static long ListMemoryBytes(long vectorBytes, long readBytes) =>
        SyntheticQueries<byte>.MemoryBytes(ListQueries, vectorBytes) + (SearchRunner.CapacityFor(ListQueriesInFlight) * readBytes)
        + (4L << 20);

    /// <summary>Calibrates an index.</summary>
    /// <param name="index">The index; its own calibration, if it has one, is left aside.</param>
    /// <param name="queries">Queries that are made, at most.</param>
    /// <param name="queriesInFlight">Queries that are searched for at a time.</param>
    /// <param name="progress">Told the searches done, and how many there are; may be null.</param>
    /// <param name="cancellationToken">Observed between searches.</param>
    public static Calibration Run(
        SearchIndex index, int queries, int queriesInFlight, Action<long, long>? progress,
        CancellationToken cancellationToken) => index.Schema.ElementType switch
        {
            VectorElementType.Float32 => index.Measure(new Calibrator<float>(index, queries, queriesInFlight, progress, cancellationToken)),
            VectorElementType.Float16 => index.Measure(new Calibrator<Half>(index, queries, queriesInFlight, progress, cancellationToken)),
            VectorElementType.UInt8 => index.Measure(new Calibrator<byte>(index, queries, queriesInFlight, progress, cancellationToken)),
            _ => index.Measure(new Calibrator<sbyte>(index, queries, queriesInFlight, progress, cancellationToken)),
        };
}
