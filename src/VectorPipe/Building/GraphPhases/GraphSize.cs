using VectorPipe.Building.Clusters;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>The size of a graph, from which memory and time follow.</summary>
/// <param name="Vectors">The vectors.</param>
/// <param name="MaxDegree">R.</param>
/// <param name="Options">Tunes the build.</param>
internal sealed record GraphSize(BuildSize Vectors, int MaxDegree, PartitionedOptions Options)
{
    public long Count => Vectors.Count;

    public KernelRowFormat Form => KernelRowFormat.Of(Vectors.Metric, Vectors.Type, Vectors.Dimension);

    /// <summary>Bytes of a vector in the form of the kernels.</summary>
    public long Stride => VectorTable.StrideOf(Form);

    /// <summary>Bytes of the numbers beside a vector in the form of the kernels.</summary>
    public int RowNumberBytes => VectorTable.NumberBytesOf(Form);

    /// <summary>Leaves, about.</summary>
    public long Leaves => ((Count - 1) / Options.LeafSize) + 1;

    /// <summary>Bytes of a table of links.</summary>
    public long LinkTableBytes => Count * (MaxDegree + 1L) * sizeof(int);

    /// <summary>Bytes of a row of the table of nearest points; 0 without one.</summary>
    public int NearestRowBytes => Options.KeptNearest * sizeof(int);

    /// <summary>Bytes of centroids and samples, which stay in memory until the graph is complete.</summary>
    public long CentroidBytes => (Leaves * ((3 * Stride) + 64)) + (Count / Options.LevelRate * sizeof(int) * 2) + (Count / 4);

    /// <summary>Bytes that a phase holds beside tables, with so many ints per vector.</summary>
    public long HeldBytes(int threads, int positions) =>
        (threads * MachineModel.ThreadBytes) + CentroidBytes + (Count * RowNumberBytes) + (positions * Vectors.PositionBytes);

    /// <summary>Bytes of all tables: records, vectors, tables of links, and nearest points.</summary>
    public long TableBytes(int linkTables, bool isPaged) =>
        Vectors.RecordTableBytes + VectorTableBytes(isPaged) + (linkTables * LinkTableBytes)
        + (linkTables > 0 ? Count * NearestRowBytes : 0);

    /// <summary>Bytes of what pages are made of: records, links, and nearest points.</summary>
    public long PageTableBytes => Vectors.RecordTableBytes + LinkTableBytes + (Count * NearestRowBytes);

    /// <summary>Bytes of the table of vectors; a paged one has copies of the second level of samples behind it.</summary>
    public long VectorTableBytes(bool isPaged) => (Count + (isPaged ? KeptRows : 0)) * Stride;

    /// <summary>Blocks in use by threads that go through rows leaf by leaf.</summary>
    public long ScanBytes(int threads) =>
        BuildSize.ScanBytes(threads) + (LeafSplitter.MaxSizes * Options.LeafSize * (Vectors.RecordBytes + Stride));

    /// <summary>Blocks in use by threads that search, and the copies in memory.</summary>
    public long SearchBytes(int threads) => (threads * SearchBytesOfThread) + (KeptRows * Stride);

    /// <summary>
    /// Blocks in use by a thread: the larger of two stretches of rows in a leaf scan, and the links into a hub in a merge.
    /// </summary>
    public long SearchBytesOfThread
    {
        get
        {
            long rowBlocks = PagedMemory.BlocksOf(Stride);
            long scan = ((PartitionedOptions.BlockRows + (LeafSplitter.MaxSizes * Options.LeafSize)) * Stride / PagedMemory.BlockBytes) + 4;
            long merge = (MaxDegree + Options.HubLinks) * rowBlocks;
            long samples = Math.Max(2L * Options.LevelSamples, SampleLevels.MostThinnest(Options.LevelRate)) * rowBlocks;
            return (Math.Max(Math.Max(scan, merge), Math.Max(PageLease.MostHeld, samples)) + 16) * PagedMemory.BlockBytes;
        }
    }

    private long KeptRows => Count / Options.LevelRate / Options.LevelRate;
}
