using VectorPipe.Building.Clusters;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Quantization;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Ivf;

/// <summary>What follows from the shape of the data and the options before lists are built: all arithmetic.</summary>
/// <param name="Metric">How near vectors are.</param>
/// <param name="Type">Type of a component.</param>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="Count">Vectors, at least 1.</param>
/// <param name="CodeBytes">Bytes of a code; 0 for lists whose vectors are scanned.</param>
/// <param name="Code">How codes are made.</param>
/// <param name="Stored">Type of a component in pages.</param>
/// <param name="Plan">How many lists, and which pages.</param>
internal sealed record IvfBuildSize(
    DistanceMetric Metric, VectorElementType Type, int Dimension, long Count, int CodeBytes, CodeKind Code, VectorElementType Stored,
    IvfDivision Plan)
{
    // Rows of a sample or of a list that is split are asked for together, wherever they lie.
    private const int ScatteredRows = 256;

    // Rows that a thread finds the list of at a time.
    private const int BlockRows = 256;

    /// <summary>Whether searches scan codes.</summary>
    public bool IsCoded => CodeBytes > 0;

    /// <summary>Whether there are enough vectors for a calibration to be worth its time.</summary>
    public bool IsCalibrated => Count >= IndexCalibrator.LeastVectors;

    /// <summary>Whether pages hold vectors rounded.</summary>
    public bool IsRounded => Stored != Type;

    /// <summary>Bytes of a vector.</summary>
    public int VectorBytes => Dimension * Type.SizeInBytes();

    /// <summary>Components of a centroid.</summary>
    public int Components => Metric == DistanceMetric.InnerProduct ? Dimension + 1 : Dimension;

    /// <summary>The form of the vectors in the kernels.</summary>
    public KernelRowFormat Form => KernelRowFormat.Of(Metric, Type, Dimension);

    /// <summary>Where things lie in a page of vectors.</summary>
    public NodeLayout Layout => NodeLayout.Lists(Stored, Dimension, Plan.PageSize);

    /// <summary>How the index is divided if there are as many lists and pages as there may be.</summary>
    public IvfShape Largest
    {
        get
        {
            // The division makes at most twice as many lists as were aimed at: a leaf that drew too much is split into parts of the size
            // that was aimed at.
            int lists = (int)Math.Min(Count, (2L * Plan.Lists) + 64);
            return new IvfShape(
                lists, IvfDivision.MaxPages(Layout, Count, lists), Plan.PageSize, Components, CentroidGraph.MaxDegree, 0, IsCoded);
        }
    }

    /// <summary>Makes sure that every place of a vector in the pages has a number.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There may be more places than numbers: too many lists, each of which ends with a page
    /// that is not full.</exception>
    public void RequireAddressable()
    {
        IvfShape largest = Largest;
        long places = largest.Pages * Layout.NodesPerPage;
        Require.That(
            places <= SchemaLimits.MaxCount,
            nameof(IvfBuild.Lists),
            Plan.Lists,
            $"so few lists, or such small pages, that pages have room for at most {SchemaLimits.MaxCount:N0} vectors; {Plan.Lists:N0} "
            + $"lists of pages of {Plan.PageSize:N0} bytes may have room for {places:N0}");
    }

    /// <summary>The files, and the bytes that each takes at most.</summary>
    /// <param name="keys">How the key directory is laid out.</param>
    public (FileRole Role, long Bytes)[] Sizes(KeyDirectoryOptions keys) =>
        IvfFilesWriter.Sizes(Layout, Largest, Count, CodeBytes, Code, keys);

    /// <summary>The vectors.</summary>
    public BuildSize Vectors => new(Metric, Type, Dimension, Count);

    /// <summary>Bytes of a vector in the form of the kernels, and of the numbers beside it.</summary>
    public long RowBytes => VectorTable.StrideOf(Form) + VectorTable.NumberBytesOf(Form);

    /// <summary>Bytes of centroids in the form of the kernels.</summary>
    public long TreeBytes => Largest.Lists * ((4 * RowBytes) + 64);

    /// <summary>Bytes of the quantizer, and of encoding a batch; 0 without codes.</summary>
    public long QuantizerBytes => !IsCoded ? 0
        : (2 * QuantizerFormat.ByteLength(Dimension, CodeBytes, Code))
            + (IndexFilesWriter.BatchRows * ((Dimension * sizeof(float)) + CodeBytes + sizeof(int)));

    /// <summary>Blocks of vectors in use at a time by so many threads, and by rows of a sample that are asked for together.</summary>
    public long PinnedBytes(int threads) =>
        BuildSize.ScanBytes(threads) + (threads * BlockRows * (long)Vectors.RecordBytes)
        + (ScatteredRows * PagedMemory.BlocksOf(Vectors.RecordBytes) * PagedMemory.BlockBytes);
}
