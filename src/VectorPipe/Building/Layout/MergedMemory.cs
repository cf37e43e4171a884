using VectorPipe.Building.Paging;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>What the stages of the merged layout hold in memory beside paged tables: at the least, and what they make of more.</summary>
/// <remarks>Upper bounds in bytes, like those of <see cref="MemoryPlan"/>, which adds what all stages hold.</remarks>
internal sealed class MergedMemory
{
    private const long MiB = 1 << 20;

    // A key and its id until the key directory is written, and where its buckets begin.
    private const long KeyBytes = 13;

    // Of a partition's nodes some are known to far more others than most.
    private const int MostTies = 2;

    private const long LeastShuffle = 4 * MiB;
    private const long MostShuffle = 64 * MiB;
    private const long LeastWindow = 1 * MiB;
    private const long MostWindow = 32 * MiB;

    // Buffers of the files that are written, and what a collection has not taken yet of those who compose; as measured.
    private const long WriterBytes = 8 * MiB;

    // Of what is left while pages are written most is for the rows that they are made of.
    private const int WindowShare = 8;

    private readonly BuildShape _shape;
    private readonly MergedNeeds _needs;

    /// <param name="shape">What is built.</param>
    /// <param name="needs">What the merged layout needs of it.</param>
    public MergedMemory(BuildShape shape, MergedNeeds needs)
    {
        _shape = shape;
        _needs = needs;
    }

    /// <summary>Bytes of the table of nearest points.</summary>
    public long NearestBytes => _shape.Count * MergedNeeds.NearestBytes;

    /// <summary>Bytes of pages that are held at a time, at most, while pages are packed and written.</summary>
    public long LeastPaged
    {
        get
        {
            long nearest = PagedMemory.BlocksOf(MergedNeeds.NearestBytes), links = PagedMemory.BlocksOf((_shape.MaxDegree + 1L) * sizeof(int)), record = PagedMemory.BlocksOf(_shape.RecordBytes);
            long rank = RankWorker.RowsTogether * (nearest + links);
            long compose = Math.Max(Math.Max(ReplicaChooser.RowsTogether * nearest, PageComposer.RowsTogether * record), nearest + links);
            long bring = Math.Max(rank + RankWorker.RowsTogether * record, IndexFilesWriter.BatchRows * record);
            return Math.Max(_shape.Threads * Math.Max(rank, compose), bring) * PagedMemory.BlockBytes;
        }
    }

    /// <summary>Bytes with which pages can be packed.</summary>
    public long LeastPack => PackBytes(PageAssignment.LeastChunkRows, 1);

    /// <summary>Bytes with which pages can be written.</summary>
    public long LeastWrite => WriteBytes(LeastWindow);

    /// <summary>Bytes with which the index can be calibrated.</summary>
    public long LeastCalibrate => CalibrateBytes(1);

    // The queries themselves, and what they are made of, which nobody else holds.
    private long SyntheticBytes => SyntheticQueries<byte>.MemoryBytes((int)Math.Min(IndexCalibrator.DefaultQueries, _shape.Count), _shape.RecordBytes - sizeof(ulong));

    // What a query of the widest list reserves: pages, and ids seen (see QueryState); and the ops of a session.
    private long QueryBytes
    {
        get
        {
            const int reads = 32, listPages = 640;
            long ids = 6 * (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)Math.Min(2 * _shape.Count, 1 << 20));
            return (listPages + reads) * (long)_needs.Shape.PageSize + ids + MiB;
        }
    }

    /// <summary>How pages are packed: in chunks as large as they are without a budget, if one of them fits, and on as many threads as have room.</summary>
    /// <param name="room">Bytes that may be held; null for no bound.</param>
    public (int ChunkRows, int Threads, long Bytes) Pack(long? room)
    {
        int chunkRows = PageAssignment.ChunkRows;
        while (chunkRows > PageAssignment.LeastChunkRows && PackBytes(chunkRows, 1) > room)
            chunkRows /= 2;
        long chunks = PageAssignment.ChunkCount(_shape.Count, _needs.Shape.Owned, chunkRows);
        int threads = (int)Math.Clamp(Math.Min(chunks, (room ?? long.MaxValue) / PackBytes(chunkRows, 1)), 1, _shape.Threads);
        return (chunkRows, threads, PackBytes(chunkRows, threads));
    }

    /// <summary>How applications are brought into the order of pages.</summary>
    /// <param name="room">Bytes that may be held, pages included.</param>
    public (ApplicationMemory Memory, long Bytes) Write(long room)
    {
        long window = Math.Clamp((room - LeastWrite) / WindowShare, LeastWindow, MostWindow);
        return (new ApplicationMemory(ShuffleBytes, window), WriteBytes(window));
    }

    /// <summary>Queries by which the index is calibrated at a time.</summary>
    /// <param name="room">Bytes that may be held; null for no bound.</param>
    public (int Queries, long Bytes) Calibrate(long? room)
    {
        int queries = (int)Math.Clamp(((room ?? long.MaxValue) - CalibrateBytes(0)) / QueryBytes, 1, IndexCalibrator.MaxQueriesInFlight);
        return (queries, CalibrateBytes(queries));
    }

    private long CalibrateBytes(int queriesInFlight) => _needs.SearchBytes + SyntheticBytes + queriesInFlight * QueryBytes;

    private long MostTiesOfPartition => MostTies * (_shape.MaxDegree + AffinityRanker.Neighbours) * (long)ShuffledTie.Bytes * Math.Min(_shape.Count, ShuffledTies.PartitionNodes);

    private long PackBytes(int chunkRows, int threads) =>
        threads * (PageAssignment.WorkerBytes(_shape.Count, _needs.Shape.Owned, chunkRows) + BlockReader.MemoryBytes);

    // Half of what the keys take later.
    private long ShuffleBytes => Math.Clamp(KeyBytes / 2 * _shape.Count, LeastShuffle, MostShuffle);

    private static long WindowBytes(long window) => (long)(window * ApplicationMemory.HeldOfWindow);

    private long WriteBytes(long window)
    {
        // Each thread reads of three tables; so does the one that brings what they need.
        long readers = (_shape.Threads + 1) * 3L * BlockReader.MemoryBytes;
        long ranked = _shape.Threads * (long)ShuffledApplications.BlockNodes * _needs.ApplicationsOfNode * (ShuffledApplication.Bytes + 2 * sizeof(uint));
        long tied = Math.Max(window, _shape.Threads * MostTiesOfPartition) * ShuffledTie.HeldBytes / ShuffledTie.Bytes + _shape.Threads * 2L * ScratchReader.MemoryBytes;
        long rank = ShuffleBytes + ranked + tied + 2L * ScratchWriter.MemoryBytes;
        long batch = MergedFilesWriter.BatchBytes(_needs.Shape.PageSize + _needs.Shape.PageGraphBytes);
        long encoded = IndexFilesWriter.BatchRows * 4L * (_shape.Form.Components + 1);
        long compose = WindowBytes(window) + 2L * ScratchReader.MemoryBytes + batch + encoded;
        return WriterBytes + readers + Math.Max(KeyBytes * _shape.Count, Math.Max(rank, compose));
    }
}
