using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Phases;

/// <summary>Divides the memory of a build between tables and arrays, for each phase of a list.</summary>
/// <remarks>Lets phases grow to the budget, so a list of phases is planned once.</remarks>
internal sealed class PhasePlanner
{
    // Most tables of a build, each of which ends in a partly used block.
    private const int MostTables = 6;

    // Most of the memory that no phase asks for goes to tables.
    private const int GarbageShare = 4;

    private readonly IReadOnlyList<Phase> _phases;
    private readonly long _snapshotBytes;

    /// <summary>Plans phases for at most so many threads; without a budget memory has no bound.</summary>
    /// <param name="phases">The phases, in order.</param>
    /// <param name="threads">Most threads.</param>
    /// <param name="budget">Bytes of memory; null for no bound.</param>
    /// <param name="snapshotBytes">Most bytes of snapshots, beside the scratch files of every phase.</param>
    public PhasePlanner(IReadOnlyList<Phase> phases, int threads, long? budget, long snapshotBytes = 0)
    {
        _phases = phases;
        _snapshotBytes = snapshotBytes;
        Least = LeastOf(1);
        Threads = ThreadBudget.Within(budget, threads, LeastOf);
        Phases = budget is { } bytes ? [.. phases.Select(phase => Paged(phase, bytes))] : Unbounded();
    }

    /// <summary>The least budget, for one thread.</summary>
    public long Least { get; }

    /// <summary>Worker threads, at most as many as requested.</summary>
    public int Threads { get; }

    public IReadOnlyList<PhasePlan> Phases { get; }

    /// <summary>Most bytes of memory.</summary>
    public long MemoryBytes => Phases.Max(phase => phase.TakenBytes);

    /// <summary>Most bytes of scratch files at a time.</summary>
    public long ScratchBytes => Phases.Max(phase => phase.ScratchBytes) + _snapshotBytes;

    /// <summary>Seconds of the build, about.</summary>
    public double Seconds => Phases.Sum(phase => phase.Seconds);

    private int RunningThreads => Math.Min(Threads, Environment.ProcessorCount);

    private long LeastOf(int threads) =>
        _phases.Select(phase => phase.Needs(threads, isPaged: true)).Max(needs => Held(needs) + needs.PinnedBytes);

    // Each block of a paged table has an entry in memory.
    private static long Held(PhaseNeeds needs) =>
        MachineModel.ProcessBytes + needs.HeldBytes + (needs.TableBytes / PagedMemory.BlockBytes * PagedRegion.BytesPerBlock);

    private PhasePlan Paged(Phase phase, long budget)
    {
        PhaseNeeds needs = phase.Needs(Threads, isPaged: true);
        long held = Held(needs);
        held += phase.Grow(Math.Max(0, budget - held - needs.PinnedBytes), Threads);
        held += Math.Clamp((budget - held - needs.PinnedBytes) / GarbageShare, 0, MachineModel.GarbageBytes);
        long paged = Math.Max(needs.PinnedBytes, budget - held);
        long tables = needs.TableBytes > 0 ? needs.TableBytes + (MostTables * PagedMemory.BlockBytes) : 0;
        double waiting = Math.Max(0, needs.TableBytes - paged) / MachineModel.ReadBytesPerSecond;
        return new PhasePlan(phase, held, paged, needs.TableBytes, tables + phase.ScratchBytes, phase.Seconds(RunningThreads) + waiting);
    }

    private PhasePlan[] Unbounded()
    {
        long left = 0;
        var plans = new List<PhasePlan>();
        foreach (Phase phase in _phases)
        {
            PhaseNeeds needs = phase.Needs(Threads, isPaged: false);
            long held = MachineModel.ProcessBytes + left + needs.HeldBytes + phase.Grow(null, Threads);
            plans.Add(new PhasePlan(phase, held, needs.TableBytes, needs.TableBytes, phase.ScratchBytes, phase.Seconds(RunningThreads)));
            left += needs.LeftBytes;
        }

        return [.. plans];
    }
}
