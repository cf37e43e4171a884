using VectorPipe.Building.Phases;
using VectorPipe.Opening;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building;

/// <summary>Searches the index that was written, to find out which effort finds how much; see <see cref="IndexCalibrator"/>.</summary>
/// <param name="work">What the phases hand on.</param>
/// <param name="queries">Queries that are made, at most.</param>
internal sealed class CalibratePhase(BuildWork work, int queries) : WorkPhase
{
    private int _queriesInFlight = 1;

    /// <inheritdoc/>
    public override string Name => "calibrate";

    /// <summary>Bytes that searches take, however many queries are in flight: what the index has in memory, and the queries.</summary>
    public required long FixedBytes { get; init; }

    /// <summary>Bytes of a query in flight.</summary>
    public required long QueryBytes { get; init; }

    /// <summary>Queries in flight at most.</summary>
    public required int MostQueriesInFlight { get; init; }

    /// <summary>Seconds that it takes, about.</summary>
    public required double EstimatedSeconds { get; init; }

    /// <summary>Queries in flight.</summary>
    public int QueriesInFlight => _queriesInFlight;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) => new(FixedBytes + QueryBytes);

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        _queriesInFlight = 1 + (int)Math.Clamp((room ?? long.MaxValue) / Math.Max(1, QueryBytes), 0, MostQueriesInFlight - 1);
        return (_queriesInFlight - 1) * QueryBytes;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => EstimatedSeconds;

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        Manifest manifest = work.Manifest(run.Target.Generation);
        work.Calibration = IndexCalibration.Add(
            run.Target.Directory, manifest, queries, _queriesInFlight, (done, total) => run.Report(this, done, total), run.Target.Logger,
            openDevice: null, run.CancellationToken).Calibration;
    }
}
