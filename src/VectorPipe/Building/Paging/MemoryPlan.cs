using VectorPipe.Building.Partitioned;

namespace VectorPipe.Building.Paging;

/// <summary>How a memory budget is divided: for each stage of a build what it holds for itself, and what is left for pages.</summary>
/// <remarks>Every figure is an upper bound in bytes, computed from the shape of the data before the build begins.</remarks>
internal sealed class MemoryPlan
{
    private const long MiB = 1 << 20;

    // Code, tables of the runtime, thread stacks, and what a collection has not taken yet; measured as the difference of resident memory and what is counted here.
    private const long Base = 20 * MiB;

    // Panels, reservoirs, candidate lists, and the readers of a worker.
    private const long PerThread = 4 * MiB;

    private readonly Dictionary<BuildStage, long> _held = [];
    private readonly long _leastPaged;
    private readonly long _leastScanned;

    /// <param name="shape">What is built.</param>
    /// <param name="budget">Bytes; 0 to ask for the least alone.</param>
    public MemoryPlan(BuildShape shape, long budget)
    {
        Budget = budget;
        long n = shape.Count;
        int threads = shape.Threads;
        VectorForm form = shape.Form;
        long stride = VectorTable.StrideOf(form);
        long leaves = (n - 1) / shape.Partitioned.LeafSize + 1;
        long centroids = leaves * (3 * stride + 64) + SampleBytes(n, shape.Partitioned.LevelRate);
        long rowNumbers = n * VectorTable.NumberBytesOf(form);
        long positions = sizeof(int) * n;
        long workers = Base + threads * PerThread;
        long sampled = CentroidTrainer.SampleRows(n, leaves) * (stride + VectorTable.NumberBytesOf(form) + 2 * sizeof(int));

        // What a worker may hold at a time: the row it works on, the links it meets, and all of their vectors.
        long held = (shape.Partitioned.RefineExpansions + 1L) * (shape.MaxDegree + 1);
        long pinned = Math.Max(held, shape.MaxDegree + shape.Partitioned.HubLinks) * PagedMemory.BlocksOf(stride) + PagedMemory.BlocksOf((shape.MaxDegree + 1L) * sizeof(int)) * (shape.Partitioned.RefineExpansions + 2);
        _leastPaged = Math.Min(threads * Math.Min(pinned, MaxPinnedBlocks) * PagedMemory.BlockBytes, 3 * n * stride) + n / shape.Partitioned.LevelRate / shape.Partitioned.LevelRate * stride;

        _leastScanned = 4 * MiB + 2048 * (stride + sizeof(ulong)) + 2 * IndexFilesWriter.BatchRows * PagedMemory.BlockBytes;

        // No more than is left beside what else a shuffle holds: or the least budget would rise with the budget that is asked about.
        long shuffling = workers + centroids + rowNumbers + 2 * positions;
        ShuffleBytes = Math.Clamp(Math.Min(budget / 6, budget - shuffling - _leastScanned), 4 * MiB, 64 * MiB);
        _held[BuildStage.Read] = Base + sizeof(ulong) * n;
        _held[BuildStage.Train] = Base + shape.TrainingBytes;
        _held[BuildStage.Partition] = workers + centroids + sampled + 3 * positions;
        _held[BuildStage.Shuffle] = shuffling + ShuffleBytes;
        _held[BuildStage.Leaves] = workers + centroids + rowNumbers + positions + 5 * n;
        _held[BuildStage.Merge] = workers + centroids + rowNumbers + positions + threads * (n + MergeBytes(shape.MaxDegree));
        _held[BuildStage.Refine] = workers + centroids + rowNumbers + positions + threads * n;
        _held[BuildStage.Finish] = workers + centroids + rowNumbers + 3 * positions + threads * n;
        _held[BuildStage.Pack] = Base + rowNumbers + 3 * positions + 7 * n;
        _held[BuildStage.Write] = Base + 3 * positions + 12 * n + threads * PerThread;
    }

    /// <summary>Bytes that the build may take.</summary>
    public long Budget { get; }

    /// <summary>Bytes for the rows of a shuffle.</summary>
    public long ShuffleBytes { get; }

    /// <summary>The least budget with which every stage can work.</summary>
    public long Least => _held.Max(stage => stage.Value + LeastPaged(stage.Key));

    /// <summary>Bytes that a stage holds beside pages.</summary>
    public long HeldBytes(BuildStage stage) => _held[stage];

    /// <summary>Bytes of pages that a stage may hold.</summary>
    public long PagedBytes(BuildStage stage) => Math.Max(LeastPaged(stage), Budget - _held[stage]);

    // Most of what a worker asks for lies side by side; a quarter of a thousand blocks is more than was ever seen at a time.
    private const int MaxPinnedBlocks = 768;

    // Only searches hold much at a time; whoever goes through rows from front to back holds a few hundred.
    private long LeastPaged(BuildStage stage) => stage is BuildStage.Leaves or BuildStage.Merge or BuildStage.Refine or BuildStage.Finish ? _leastPaged : _leastScanned;

    // Lists of the samples, and the bits that tell which rows have copies; the copies themselves count as pages.
    private static long SampleBytes(long n, int rate) => n / rate * sizeof(int) * 2 + n / 4;

    // Links of a range found, sorted and read, and the readers of a shuffle.
    private static long MergeBytes(int maxDegree) => 24L * maxDegree * ShuffledInLinks.RangeRows + 2L * Storage.ScratchReader.MemoryBytes;
}
