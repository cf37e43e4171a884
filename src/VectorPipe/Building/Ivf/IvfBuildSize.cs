using VectorPipe.Building.Clusters;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Quantization;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>The size of an IVF index, from which memory and time of its build follow.</summary>
/// <param name="Vectors">The vectors, at least 1.</param>
/// <param name="CodeBytes">Bytes of a code; 0 if searches scan vectors.</param>
/// <param name="Code">Kind of the codes.</param>
/// <param name="Stored">Type of a component in pages.</param>
/// <param name="Plan">Number of lists, and size of pages.</param>
internal sealed record IvfBuildSize(BuildSize Vectors, int CodeBytes, CodeKind Code, VectorElementType Stored, IvfDivision Plan)
{
    // Rows of a sample, or of a list that is split, that are asked for together wherever they lie.
    private const int ScatteredRows = 256;

    // Rows that a thread assigns to lists at a time.
    private const int BlockRows = 256;

    public long Count => Vectors.Count;

    /// <summary>Whether searches scan codes.</summary>
    public bool IsCoded => CodeBytes > 0;

    /// <summary>Whether there are enough vectors to calibrate the index.</summary>
    public bool IsCalibrated => Count >= IndexCalibrator.LeastVectors;

    /// <summary>Whether pages hold rounded vectors.</summary>
    public bool IsRounded => Stored != Vectors.Type;

    /// <summary>Components of a centroid.</summary>
    public int Components => Vectors.Metric == DistanceMetric.InnerProduct ? Vectors.Dimension + 1 : Vectors.Dimension;

    /// <summary>The layout of a page of vectors.</summary>
    public NodeLayout Layout => NodeLayout.Lists(Stored, Vectors.Dimension, Plan.PageSize);

    /// <summary>Upper bound on the number of lists and pages.</summary>
    public IvfShape Largest
    {
        get
        {
            // A leaf that drew too much is split into parts of the size aimed at, so there are at most twice as many lists as aimed at.
            int lists = (int)Math.Min(Count, (2L * Plan.Lists) + 64);
            long pages = IvfDivision.MaxPages(Layout.NodesPerPage, Count, lists);
            return new IvfShape(lists, pages, Plan.PageSize, Components, CentroidGraph.MaxDegree, 0, IsCoded);
        }
    }

    /// <summary>Bytes of a vector in the form of the kernels, with the numbers beside it.</summary>
    public long RowBytes => VectorTable.StrideOf(Form) + VectorTable.NumberBytesOf(Form);

    /// <summary>Bytes of centroids in the form of the kernels.</summary>
    public long TreeBytes => Largest.Lists * ((4 * RowBytes) + 64);

    /// <summary>Bytes of the quantizer, and of encoding a batch; 0 without codes.</summary>
    public long QuantizerBytes => !IsCoded ? 0
        : (2 * QuantizerFormat.ByteLength(Vectors.Dimension, CodeBytes, Code))
            + (IndexFilesWriter.BatchRows * ((Vectors.Dimension * sizeof(float)) + CodeBytes + sizeof(int)));

    /// <summary>Bytes of a list of the largest size, which is read whole.</summary>
    public long LargestListBytes => LeafSplitter.MaxSizes * (long)Plan.RowsOf(Count) * Vectors.RecordBytes;

    private KernelRowFormat Form => KernelRowFormat.Of(Vectors.Metric, Vectors.Type, Vectors.Dimension);

    /// <summary>Checks that every place of a vector in the pages has a number.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There may be more places than numbers, since each of too many lists ends with a partly
    /// used page.</exception>
    public void RequireAddressable()
    {
        long places = Largest.Pages * Layout.NodesPerPage;
        Require.That(
            places <= SchemaLimits.MaxCount,
            nameof(IvfBuild.Lists),
            Plan.Lists,
            $"so few lists, or such small pages, that pages have room for at most {SchemaLimits.MaxCount:N0} vectors; {Plan.Lists:N0} "
            + $"lists of pages of {Plan.PageSize:N0} bytes may have room for {places:N0}");
    }

    /// <summary>The files, and the most bytes of each.</summary>
    public (FileRole Role, long Bytes)[] Sizes(KeyDirectoryOptions keys)
    {
        IvfShape shape = Largest;
        var sizes = new List<(FileRole, long)>
        {
            (FileRole.Nodes, (shape.Pages + 1) * Layout.PageSize),
            (FileRole.Keys, keys.MaxPageCount(Count) * PageCodec.PageUnit),
            (FileRole.Lists, IndexFilesWriter.StreamBytes(shape.StreamLength)),
        };
        if (IsCoded)
        {
            long codePages = IvfDivision.MaxPages(IvfShape.CodesPerPage(CodeBytes), Count, shape.Lists) + 1;
            sizes.Add((FileRole.Codes, codePages * PageCodec.PageUnit));
            sizes.Add((FileRole.CodeBook, IndexFilesWriter.StreamBytes(QuantizerFormat.ByteLength(Vectors.Dimension, CodeBytes, Code))));
        }

        return [.. sizes];
    }

    /// <summary>Blocks of vectors in use by so many threads, and by rows of a sample that are asked for together.</summary>
    public long PinnedBytes(int threads) =>
        BuildSize.ScanBytes(threads) + (threads * BlockRows * (long)Vectors.RecordBytes)
        + (ScatteredRows * PagedMemory.BlocksOf(Vectors.RecordBytes) * PagedMemory.BlockBytes);
}
