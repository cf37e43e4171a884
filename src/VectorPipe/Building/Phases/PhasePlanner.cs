using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Phases;

/// <summary>Divides memory between tables and the rest for each phase of a list.</summary>
/// <remarks>Lets the phases grow to the budget: a list of phases is planned once.</remarks>
internal sealed class PhasePlanner
{
    // Tables of a build; each ends in a block that is not full.
    private const int MostTables = 6;

    // Of the memory that no phase asks for, most is for tables.
    private const int GarbageShare = 4;

    private readonly IReadOnlyList<Phase> _phases;

    /// <param name="phases">The phases, in order.</param>
    /// <param name="threads">Worker threads, if the budget has room for them.</param>
    /// <param name="budget">Bytes; null for no bound.</param>
    public PhasePlanner(IReadOnlyList<Phase> phases, int threads, long? budget)
    {
        _phases = phases;
        Budget = budget;
        Least = LeastOf(1);
        Threads = ThreadBudget.Within(budget, threads, LeastOf);
        Phases = budget is { } bytes ? [.. phases.Select(phase => Paged(phase, bytes))] : Unbounded();
    }

    /// <summary>Bytes that the build may take; null for no bound.</summary>
    public long? Budget { get; }

    /// <summary>The least budget, on one thread; every larger one will do as well.</summary>
    public long Least { get; }

    /// <summary>Worker threads.</summary>
    public int Threads { get; }

    /// <summary>The phases, in order.</summary>
    public IReadOnlyList<PhasePlan> Phases { get; }

    /// <summary>Bytes of memory that the build takes, at most.</summary>
    public long MemoryBytes => Phases.Max(phase => phase.TakenBytes);

    /// <summary>Bytes of scratch files at a time, at most.</summary>
    public long ScratchBytes => Phases.Max(phase => phase.ScratchBytes);

    /// <summary>Seconds that the build takes, about.</summary>
    public double Seconds => Phases.Sum(phase => phase.Seconds);

    /// <summary>The plan of a phase.</summary>
    public PhasePlan Of(Phase phase) => Phases.First(plan => plan.Phase == phase);

    private int RunningThreads => Math.Min(Threads, Environment.ProcessorCount);

    private long LeastOf(int threads) =>
        _phases.Select(phase => phase.Needs(threads, isPaged: true)).Max(needs => Held(needs) + needs.PinnedBytes);

    // Each block of a paged table has an entry that tells where the block is.
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
