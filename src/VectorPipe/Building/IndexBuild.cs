using Microsoft.Extensions.Logging;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Building;

/// <summary>A build: plans the phases of a recipe and runs them in order. Used once.</summary>
internal sealed class IndexBuild
{
    // A hundred misses in 20,000 searches are accidents; more are a region without a way in.
    private const double LeastFoundShare = 0.995;

    private readonly BuildRequest _request;
    private readonly PreparedBuild _build;
    private readonly PhasePlanner _planner;
    private readonly ILogger _logger;

    /// <exception cref="ArgumentOutOfRangeException">An option does not fit the vectors.</exception>
    public IndexBuild(BuildRequest request, ILogger logger)
    {
        _request = request;
        _logger = logger;
        _build = (request.Source.Count == 0 ? EmptyRecipe.Instance : request.Options.Recipe).Prepare(request);
        _planner = new PhasePlanner(
            _build.Phases, request.Options.Threads, request.Options.MemoryBudget, _build.SnapshotBytes);
        Plan = new BuildPlan
        {
            Points = request.Source.Count,
            Dimension = request.Source.Dimension,
            ElementType = request.Source.ElementType,
            MemoryBudget = request.Options.MemoryBudget,
            LeastMemoryBudget = _planner.Least,
            Threads = _planner.Threads,
            MemoryBytes = _planner.MemoryBytes,
            ScratchBytes = _planner.ScratchBytes,
            IndexBytes = _build.Files.Sum(file => file.Bytes),
            EstimatedSeconds = _planner.Seconds,
            Phases = [.. _planner.Phases.Select(PlanOf)],
        };
    }

    public BuildPlan Plan { get; }

    /// <summary>Refuses a memory budget that is too small.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is; the message names the least.</exception>
    public void RequireBudget()
    {
        if (Plan.MemoryBudget is not { } budget)
            return;
        Require.That(
            budget >= Plan.LeastMemoryBudget, nameof(BuildOptions.MemoryBudget), budget,
            $"at least {Plan.LeastMemoryBudget:N0} bytes for {Plan.Points:N0} vectors of {Plan.Dimension} x {Plan.ElementType}");
    }

    public void LogPlan()
    {
        foreach (BuildPhase phase in Plan.Phases)
            BuildLog.PlannedPhase(_logger, phase.Name, phase.MemoryBytes, phase.ScratchBytes, phase.EstimatedSeconds);
        if (Plan.Threads < _request.Options.Threads)
            BuildLog.FewerThreads(_logger, Plan.Threads, _request.Options.Threads);
        BuildLog.Planned(
            _logger, Plan.Points, Plan.MemoryBytes, Plan.LeastMemoryBudget, Plan.ScratchBytes, Plan.IndexBytes, Plan.EstimatedSeconds);
    }

    public async Task<BuildReport> RunAsync(BuildTarget target, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        var timer = new PhaseTimer(_logger);
        IndexFilesWriter.Reserve(target.Directory, target.Generation, _build.Files, target.Io);
        IndexFilesWriter.RequireScratchRoom(target.Directory, target.Generation, _planner.ScratchBytes, target.Io);
        using BuildSpace? space = OpenSpace(target);
        using BuildWork work = _build.Work;
        var relay = new PhaseProgress(progress);
        var run = new BuildRun(_planner.Threads, space, relay, cancellationToken) { Target = target };
        foreach (PhasePlan plan in _planner.Phases)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (plan.Phase.Stage <= work.TakenUpFrom)
                continue;
            space?.Enter(plan.PagedBytes);
            relay.Begin(plan.Phase.Name);
            await plan.Phase.RunAsync(run).ConfigureAwait(false);
            timer.End(PlanOf(plan));
        }

        LogGraph(work.Report);
        return Report(timer, work, run);
    }

    private static BuildPhase PlanOf(PhasePlan plan) => new()
    {
        Name = plan.Phase.Name,
        MemoryBytes = plan.TakenBytes,
        ScratchBytes = plan.ScratchBytes,
        EstimatedSeconds = plan.Seconds,
    };

    private BuildSpace? OpenSpace(BuildTarget target)
    {
        if (!_request.IsPaged)
            return null;
        var memory = new PagedMemory(
            target.Directory, name => IndexDirectory.ScratchName(name, target.Generation), new DeviceOptions(), target.Io, _logger);
        return new BuildSpace(memory, purpose => ShufflePaths.OfBuild(target.Directory, target.Generation, purpose));
    }

    private void LogGraph(GraphReport report)
    {
        if (report.Checked == 0)
            return;
        if (report.ReachableBeforeRepair < Plan.Points)
            BuildLog.Repaired(_logger, Plan.Points - report.ReachableBeforeRepair, Plan.Points, report.LinksAdded);
        if (report.FoundShare < LeastFoundShare)
            BuildLog.MissedThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare, LeastFoundShare);
        else
            BuildLog.FoundThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare);
    }

    private BuildReport Report(PhaseTimer timer, BuildWork work, BuildRun run)
    {
        bool isGraph = work.Report.Checked > 0;
        return new BuildReport
        {
            Points = Plan.Points,
            Dimension = Plan.Dimension,
            MeanDegree = work.Report.MeanDegree,
            Reachable = isGraph ? work.Report.Reachable : Plan.Points,
            Repaired = isGraph ? Plan.Points - work.Report.ReachableBeforeRepair : 0,
            FoundThemselves = isGraph ? work.Report.FoundShare : 1,
            IndexBytes = work.IndexBytes,
            ScratchBytesRead = run.Shuffles.BytesRead + (run.Paging?.BytesRead ?? 0),
            ScratchBytesWritten = run.Shuffles.BytesWritten + (run.Paging?.BytesWritten ?? 0),
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
        };
    }
}
