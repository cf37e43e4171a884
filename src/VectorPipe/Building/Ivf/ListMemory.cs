using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Storage;

namespace VectorPipe.Building.Ivf;

/// <summary>How a memory budget is divided in a build of lists: for each stage what it holds for itself, and what is left for the pages of the vectors.</summary>
/// <remarks>
/// Upper bounds in bytes, computed from the shape of the data before the build begins, as <see cref="MemoryPlan"/> has them for graphs. The stages are reading, training, dividing (<see cref="BuildStage.Partition"/>),
/// the graph of centroids (<see cref="BuildStage.Finish"/>), shuffling, writing and calibrating. Without a budget nothing is paged.
/// </remarks>
internal sealed class ListMemory
{
    private const long MiB = 1 << 20;

    // Rows of a sample or of a list that is split are asked for together, wherever they lie.
    private const int ScatteredRows = 256;

    // Rows that a thread finds the list of at a time.
    private const int BlockRows = 256;

    // A key and its id until the key directory is written, and where its buckets begin.
    private const long KeyBytes = 13;

    // Pieces of the files that are written, two each.
    private const long WriterBytes = 8 * MiB;

    private readonly Dictionary<BuildStage, long> _held = [];
    private readonly long _tableBytes;
    private readonly long _leastPaged;

    /// <param name="needs">What is built.</param>
    /// <param name="budget">Bytes; null for no bound.</param>
    public ListMemory(ListNeeds needs, long? budget)
    {
        Budget = budget;
        long n = needs.Count;
        long lists = needs.Largest.Lists;
        _tableBytes = n * needs.RecordBytes;
        _leastPaged = (needs.Threads * ((2L * PagedMemory.BytesTogether) + (BlockRows * (long)needs.RecordBytes))) + (ScatteredRows * PagedMemory.BlocksOf(needs.RecordBytes) * PagedMemory.BlockBytes);

        long rowBytes = VectorTable.StrideOf(needs.Form) + VectorTable.NumberBytesOf(needs.Form);
        long workers = MemoryPlan.Base + (needs.Threads * MemoryPlan.PerThread);
        long tree = lists * ((4 * rowBytes) + 64);

        // The vectors of the sample are freed before a list is split; what numbers them is when it is collected.
        long sampleRows = CentroidTrainer.SampleRows(n, needs.Plan.Lists), splitRows = Math.Min(n, LeafSplitter.MostRows(needs.Plan.RowsOf(n)));
        long sampled = (Math.Max(sampleRows, splitRows) * rowBytes) + ((sampleRows + splitRows) * 3 * sizeof(int));
        long largestList = LeafSplitter.MaxSizes * (long)needs.Plan.RowsOf(n) * needs.RecordBytes;
        long centroids = needs.Largest.StreamLength;
        _held[BuildStage.Read] = MemoryPlan.Base + (3 * MiB) + (sizeof(ulong) * n);
        _held[BuildStage.Train] = MemoryPlan.Base + needs.TrainingBytes;
        _held[BuildStage.Partition] = workers + needs.QuantizerBytes + (3 * sizeof(int) * n) + tree + sampled;
        _held[BuildStage.Finish] = needs.QuantizerBytes + (sizeof(int) * n) + tree + centroids + GraphBytes(needs.Largest, needs.Threads);
        _held[BuildStage.Shuffle] = MemoryPlan.Base + needs.QuantizerBytes + (2 * sizeof(int) * n) + tree + centroids + (lists * 2 * sizeof(long)) + (2L * ScratchWriter.MemoryBytes);
        _held[BuildStage.Write] = workers + needs.QuantizerBytes + (KeyBytes * n) + centroids + (lists * 6 * sizeof(long)) + (2L * ScratchReader.MemoryBytes) + WriterBytes;
        if (needs.CalibrationBytes > 0)
            _held[BuildStage.Calibrate] = MemoryPlan.Base + centroids + needs.CalibrationBytes;

        // What tells of each block of the paged table where it is.
        foreach (BuildStage stage in _held.Keys.Where(stage => budget is not null && TableBytes(stage) > 0))
            _held[stage] += _tableBytes / PagedMemory.BlockBytes * PagedRegion.BytesPerBlock;

        long leastShuffle = Math.Min(MemoryPlan.LeastShuffle, ShuffledBytes(needs)), leastWindow = largestList;
        Least = budget is null
            ? new ListMemory(needs, budget: 1).Least
            : _held.Keys.Max(stage => _held[stage] + LeastPaged(stage) + (stage == BuildStage.Shuffle ? leastShuffle : 0) + (stage == BuildStage.Write ? leastWindow : 0));
        ShuffleBytes = Between(leastShuffle, Math.Min(ListFilesWriter.ShuffleBytes, ShuffledBytes(needs)), BuildStage.Shuffle);
        WindowBytes = Between(leastWindow, ListFilesWriter.WindowBytes, BuildStage.Write);
        _held[BuildStage.Shuffle] += ShuffleBytes;
        _held[BuildStage.Write] += WindowBytes;
    }

    /// <summary>Bytes that the build may take; null for no bound.</summary>
    public long? Budget { get; }

    /// <summary>The least budget with which every stage can work; so can it with every larger one.</summary>
    public long Least { get; }

    /// <summary>Bytes for the rows of a flush group of the shuffle.</summary>
    public long ShuffleBytes { get; }

    /// <summary>Bytes of lists that are read together when they are written.</summary>
    public long WindowBytes { get; }

    /// <summary>The stages that there are.</summary>
    public IEnumerable<BuildStage> Stages => _held.Keys;

    /// <summary>Bytes of the table of vectors and keys, in the stages that have it.</summary>
    public long TableBytes(BuildStage stage) => stage is BuildStage.Write or BuildStage.Calibrate ? 0 : _tableBytes;

    /// <summary>Bytes that a stage holds beside pages.</summary>
    public long HeldBytes(BuildStage stage) => _held[stage];

    /// <summary>Bytes of pages that a stage may hold.</summary>
    public long PagedBytes(BuildStage stage) => Budget is { } budget ? Math.Max(LeastPaged(stage), budget - _held[stage]) : TableBytes(stage);

    /// <summary>Bytes that a stage takes, pages included.</summary>
    public long TakenBytes(BuildStage stage) => _held[stage] + Math.Min(PagedBytes(stage), TableBytes(stage));

    /// <summary>Bytes of the table that do not fit into the memory of a stage.</summary>
    public long ExcessBytes(BuildStage stage) => Math.Max(0, TableBytes(stage) - PagedBytes(stage));

    // The graph over the centroids is built in memory, of a table of its own.
    private static long GraphBytes(ListShape lists, int threads)
    {
        VectorForm form = VectorForm.Of(Numerics.DistanceMetric.L2, Numerics.VectorElementType.Float32, lists.Components);
        var plan = new MemoryPlan(
            new BuildShape(lists.Lists, (lists.Components * sizeof(float)) + sizeof(ulong), form, CentroidGraph.MaxDegree, threads, TrainingBytes: 0, new PartitionedOptions()), budget: null);
        return Enum.GetValues<BuildStage>().Where(stage => stage is >= BuildStage.Partition and <= BuildStage.Finish).Max(plan.TakenBytes);
    }

    private static long ShuffledBytes(ListNeeds needs) => needs.Count * (needs.RecordBytes + Shuffling.ShuffleOptions.BookkeepingBytes);

    private long LeastPaged(BuildStage stage) => TableBytes(stage) > 0 ? _leastPaged : 0;

    private long Between(long least, long most, BuildStage stage) =>
        Budget is { } budget ? Math.Clamp(budget - _held[stage] - LeastPaged(stage), least, Math.Max(least, most)) : Math.Max(least, most);
}
