using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;
using VectorPipe.Searching.Calibrating;

namespace VectorPipe.Building.Paging;

/// <summary>How a memory budget is divided: for each stage of a build what it holds for itself, and what is left for pages.</summary>
/// <remarks>
/// Every figure is an upper bound in bytes, computed from the shape of the data before the build begins. Without a budget nothing is paged: a stage takes what it holds and the tables whole.
/// </remarks>
internal sealed class MemoryPlan
{
    private const long MiB = 1 << 20;

    // Code, tables of the runtime, thread stacks, and what a collection has not taken yet; measured as the difference of resident memory and what is counted here.
    internal const long Base = 26 * MiB;

    // Panels, reservoirs, candidate lists, and the readers of a worker.
    internal const long PerThread = 4 * MiB;

    // The room for the rows of a shuffle: more makes for longer reads of a partition, until a group of rows fills the blocks of all partitions.
    internal const long LeastShuffle = 4 * MiB;
    internal const long MostShuffle = 64 * MiB;

    private readonly Dictionary<BuildStage, long> _held = [];
    private readonly Dictionary<BuildStage, long> _tables = [];
    // Threads that refine for one that computes.
    private const int MostRefinersEach = 4;

    private readonly long _leastPaged;
    private readonly long _leastScanned;

    /// <param name="shape">What is built.</param>
    /// <param name="budget">Bytes; null for no bound.</param>
    public MemoryPlan(BuildShape shape, long? budget)
    {
        Budget = budget;
        Threads = PackThreads = RefineThreads = shape.Threads;
        long n = shape.Count;
        int threads = shape.Threads;
        VectorForm form = shape.Form;
        long stride = VectorTable.StrideOf(form);
        long leaves = (n - 1) / shape.Partitioned.LeafSize + 1;
        long centroids = leaves * (3 * stride + 64) + SampleBytes(n, shape.Partitioned.LevelRate);
        long rowNumbers = n * VectorTable.NumberBytesOf(form);
        long positions = sizeof(int) * n;
        long workers = Base + threads * PerThread;

        // The vectors of the sample are freed before a leaf is split; what numbers them is when it is collected.
        long sampleRows = CentroidTrainer.SampleRows(n, leaves), splitRows = Math.Min(n, LeafSplitter.MostRows(shape.Partitioned.LeafSize));
        long sampled = Math.Max(sampleRows, splitRows) * (stride + VectorTable.NumberBytesOf(form)) + (sampleRows + splitRows) * 2 * sizeof(int);

        // What a worker may hold at a time: of a leaf scan two stretches of rows, of a merge the links into a hub, and what it goes on to hold.
        long rowBlocks = PagedMemory.BlocksOf(stride);
        long scan = (PartitionedOptions.BlockRows + LeafSplitter.MaxSizes * shape.Partitioned.LeafSize) * stride / PagedMemory.BlockBytes + 4;
        long merge = (shape.MaxDegree + shape.Partitioned.HubLinks) * rowBlocks;
        long samples = Math.Max(2L * shape.Partitioned.LevelSamples, SampleLevels.MostThinnest(shape.Partitioned.LevelRate)) * rowBlocks;
        long pinned = Math.Max(Math.Max(scan, merge), Math.Max(PageLease.MostHeld, samples)) + 16;
        _leastPaged = threads * pinned * PagedMemory.BlockBytes + KeptRows(n, shape.Partitioned.LevelRate) * stride;

        long leafBytes = LeafSplitter.MaxSizes * shape.Partitioned.LeafSize * (shape.RecordBytes + stride);
        long batch = IndexFilesWriter.BatchRows * (PagedMemory.BlocksOf(shape.RecordBytes) + PagedMemory.BlocksOf((shape.MaxDegree + 1L) * sizeof(int))) * PagedMemory.BlockBytes;
        _leastScanned = threads * 2L * PagedMemory.BytesTogether + leafBytes + batch;
        RecordBytes = n * shape.RecordBytes;
        VectorBytes = (n + (budget is null ? 0 : KeptRows(n, shape.Partitioned.LevelRate))) * stride;
        LinkBytes = n * (shape.MaxDegree + 1L) * sizeof(int);
        _tables[BuildStage.Read] = _tables[BuildStage.Train] = _tables[BuildStage.Partition] = RecordBytes;
        _tables[BuildStage.Shuffle] = RecordBytes + VectorBytes;
        _tables[BuildStage.Merge] = _tables[BuildStage.Refine] = RecordBytes + VectorBytes + 2 * LinkBytes;
        _tables[BuildStage.Leaves] = _tables[BuildStage.Finish] = _tables[BuildStage.Pack] = _tables[BuildStage.Write] = RecordBytes + VectorBytes + LinkBytes;

        _held[BuildStage.Read] = Base + sizeof(ulong) * n;
        _held[BuildStage.Train] = Base + shape.TrainingBytes;
        _held[BuildStage.Partition] = workers + centroids + sampled + 3 * positions;
        _held[BuildStage.Shuffle] = workers + centroids + rowNumbers + 2 * positions;
        _held[BuildStage.Leaves] = workers + centroids + rowNumbers + positions + 5 * n;
        _held[BuildStage.Merge] = workers + centroids + rowNumbers + positions + threads * (n + MergeBytes(n, shape.MaxDegree, budget is not null)) + (budget is null ? 0 : HubFilter.BytesPerPoint * n);
        _held[BuildStage.Refine] = workers + centroids + rowNumbers + positions;
        _held[BuildStage.Finish] = workers + centroids + rowNumbers + 3 * positions;
        _held[BuildStage.Pack] = Base + rowNumbers + 3 * positions + 19 * n;
        _held[BuildStage.Write] = Base + 3 * positions + 30 * n + threads * PerThread;

        _held[BuildStage.Calibrate] = Base;
        MergedMemory? merged = shape.Merged is { } needs ? new MergedMemory(shape, needs) : null;
        if (merged is not null)
        {
            // One more table that a refining thread reads; what packing, writing and calibrating make of more than the least comes below.
            _leastScanned = Math.Max(_leastScanned, merged.LeastPaged);
            _held[BuildStage.Refine] += threads * (long)BlockReader.MemoryBytes;
            _held[BuildStage.Pack] = Base + rowNumbers + 2 * positions + (budget is null ? merged.Pack(null).Bytes : merged.LeastPack);
            _held[BuildStage.Write] = budget is null ? _held[BuildStage.Write] + n * shape.Merged!.ApplicationBytes : Base + rowNumbers + 3 * positions + merged.LeastWrite;
            _held[BuildStage.Calibrate] += budget is null ? merged.Calibrate(null).Bytes : merged.LeastCalibrate;
        }

        foreach (BuildStage stage in _tables.Keys.Where(stage => stage >= BuildStage.Leaves))
            _tables[stage] += merged?.NearestBytes ?? 0;
        _tables[BuildStage.Calibrate] = 0;

        // What tells of each block of a paged table where it is; links are shuffled while there are as many tables as when they are merged.
        foreach (BuildStage stage in _held.Keys.Where(_ => budget is not null))
            _held[stage] += _tables[stage == BuildStage.Shuffle ? BuildStage.Merge : stage] / PagedMemory.BlockBytes * PagedRegion.BytesPerBlock;

        // Only a build under a budget makes sure that the samples of a stage are gone when the next one begins.
        if (budget is null)
        {
            foreach (BuildStage stage in _held.Keys.Where(stage => stage > BuildStage.Train))
                _held[stage] += shape.TrainingBytes + (stage > BuildStage.Partition ? sampled : 0);
        }

        // What is free in the stage that shuffles, in so far as the least budget, which must not depend on the budget, leaves it.
        ShuffleBytes = budget is null ? 0 : Math.Clamp(Math.Min(budget.Value / 6, budget.Value - _held[BuildStage.Shuffle] - _leastScanned), LeastShuffle, MostShuffle);
        Least = budget is null ? new MemoryPlan(shape, LeastShuffle).Least : _held.Max(stage => stage.Value + LeastPaged(stage.Key) + (stage.Key == BuildStage.Shuffle ? LeastShuffle : 0));
        _held[BuildStage.Shuffle] += ShuffleBytes;
        if (merged is not null && budget is not null)
            Grow(merged);
        if (budget is not null)
            AddRefiners(PerThread + (merged is null ? 0 : BlockReader.MemoryBytes), pinned * PagedMemory.BlockBytes);
    }

    /// <summary>Bytes that the build may take; null for no bound.</summary>
    public long? Budget { get; }

    /// <summary>Worker threads.</summary>
    public int Threads { get; }

    /// <summary>Rows that are packed into pages of the merged layout together, about: fewer than without a budget only where memory does not hold as many.</summary>
    public int PackChunkRows { get; private set; } = PageAssignment.ChunkRows;

    /// <summary>Threads that pack pages of the merged layout.</summary>
    public int PackThreads { get; private set; }

    /// <summary>Threads that refine.</summary>
    public int RefineThreads { get; private set; }

    /// <summary>Memory for applications to pages of the merged layout; nothing without a budget.</summary>
    public ApplicationMemory Applications { get; private set; }

    /// <summary>Queries by which an index is calibrated at a time.</summary>
    public int CalibrationQueries { get; private set; } = IndexCalibrator.MaxQueriesInFlight;

    /// <summary>Bytes for the rows of a shuffle; 0 without a budget.</summary>
    public long ShuffleBytes { get; }

    /// <summary>The least budget with which every stage can work; so can it with every larger one.</summary>
    public long Least { get; }

    /// <summary>Bytes of the table of vectors and keys.</summary>
    public long RecordBytes { get; }

    /// <summary>Bytes of the table of vectors in the form of the kernels.</summary>
    public long VectorBytes { get; }

    /// <summary>Bytes of a table of links.</summary>
    public long LinkBytes { get; }

    /// <summary>Bytes of the tables that there are in a stage.</summary>
    public long TableBytes(BuildStage stage) => _tables[stage];

    /// <summary>Bytes that a stage holds beside pages.</summary>
    public long HeldBytes(BuildStage stage) => _held[stage];

    /// <summary>Bytes of pages that a stage may hold.</summary>
    public long PagedBytes(BuildStage stage) => Budget is { } budget ? Math.Max(LeastPaged(stage), budget - _held[stage]) : TableBytes(stage);

    /// <summary>Bytes that a stage takes, pages included.</summary>
    public long TakenBytes(BuildStage stage) => _held[stage] + Math.Min(PagedBytes(stage), TableBytes(stage));

    // What stages of the merged layout make of the budget, in so far as it leaves them more than the least.
    private void Grow(MergedMemory merged)
    {
        (PackChunkRows, PackThreads, long packed) = merged.Pack(Room(BuildStage.Pack, merged.LeastPack));
        _held[BuildStage.Pack] += packed - merged.LeastPack;
        (Applications, long written) = merged.Write(Room(BuildStage.Write, merged.LeastWrite));
        _held[BuildStage.Write] += written - merged.LeastWrite;
        (CalibrationQueries, long calibrated) = merged.Calibrate(Room(BuildStage.Calibrate, merged.LeastCalibrate));
        _held[BuildStage.Calibrate] += calibrated - merged.LeastCalibrate;
    }

    // A thread that refines waits for the disk most of the time, one read at a time: more of them keep it busy, as far as the memory that they take is not missed by the others.
    private void AddRefiners(long heldBytes, long pinnedBytes)
    {
        int more = (int)Math.Clamp(Room(BuildStage.Refine, 0) / 4 / (heldBytes + pinnedBytes), 0, (MostRefinersEach - 1) * RefineThreads);
        RefineThreads += more;
        _held[BuildStage.Refine] += more * heldBytes;
    }

    private long Room(BuildStage stage, long least) => Budget!.Value - LeastPaged(stage) - (_held[stage] - least);

    // Only searches hold much at a time; whoever goes through rows from front to back holds a few hundred.
    private long LeastPaged(BuildStage stage) => stage switch
    {
        BuildStage.Leaves or BuildStage.Merge or BuildStage.Refine or BuildStage.Finish => _leastPaged,
        BuildStage.Calibrate => 0,
        _ => _leastScanned,
    };

    // Lists of the samples, and the bits that tell which rows have copies; the copies themselves count as pages.
    private static long SampleBytes(long n, int rate) => n / rate * sizeof(int) * 2 + n / 4;

    // Links of a range found, sorted and read, and the readers of a shuffle; arrays that grow with the links they meet leave smaller ones behind.
    private static long MergeBytes(long n, int maxDegree, bool isPaged) =>
        (isPaged ? 44L : 32L) * maxDegree * ReverseMerge.RangeRowsOf(n, isPaged) + 2L * Storage.ScratchReader.MemoryBytes;

    // Samples of the second level, whose copies stay in memory.
    private static long KeptRows(long n, int rate) => n / rate / rate;
}
