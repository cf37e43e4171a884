using VectorPipe.Building.Phases;
using VectorPipe.Opening;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building;

/// <summary>Searches the written index to measure recall against effort, see <see cref="IndexCalibrator"/>.</summary>
internal sealed class CalibratePhase(BuildWork work, int queries) : WorkPhase
{
    private int _queriesInFlight = 1;

    public override string Name => "calibrate";

    /// <summary>Bytes of the index in memory and of the queries.</summary>
    public required long FixedBytes { get; init; }

    /// <summary>Bytes of a query in flight.</summary>
    public required long QueryBytes { get; init; }

    public required int MostQueriesInFlight { get; init; }

    public required double EstimatedSeconds { get; init; }

    public int QueriesInFlight => _queriesInFlight;

    public override PhaseNeeds Needs(int threads, bool isPaged) => new(FixedBytes + QueryBytes);

    public override long Grow(long? room, int threads)
    {
        _queriesInFlight = 1 + (int)Math.Clamp((room ?? long.MaxValue) / Math.Max(1, QueryBytes), 0, MostQueriesInFlight - 1);
        return (_queriesInFlight - 1) * QueryBytes;
    }

    public override double Seconds(int threads) => EstimatedSeconds;

    public override void Run(BuildRun run)
    {
        Manifest manifest = work.Manifest(run.Target.Generation);
        work.Calibration = IndexCalibration.Add(
            run.Target.Directory, manifest, CalibrationQueries.Made(queries), _queriesInFlight, run.Threads,
            (done, total) => run.Report(this, done, total), run.Target.Logger, openDevice: null, run.CancellationToken).Calibration;
    }
}
