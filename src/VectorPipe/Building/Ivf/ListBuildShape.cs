using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage;

namespace VectorPipe.Building.Ivf;

/// <summary>What follows from the shape of the data and the options before lists are built: all arithmetic.</summary>
/// <param name="Metric">How near vectors are.</param>
/// <param name="Type">Type of a component.</param>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="Count">Vectors, at least 1.</param>
/// <param name="CodeBytes">Bytes of a code; 0 for lists whose vectors are scanned.</param>
/// <param name="Code">How codes are made.</param>
/// <param name="Stored">Type of a component in pages.</param>
/// <param name="Threads">Worker threads.</param>
/// <param name="Plan">How many lists, and which pages.</param>
internal sealed record ListBuildShape(DistanceMetric Metric, VectorElementType Type, int Dimension, long Count, int CodeBytes, CodeKind Code, VectorElementType Stored, int Threads, ListPlan Plan)
{
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
    public VectorForm Form => VectorForm.Of(Metric, Type, Dimension);

    /// <summary>Where things lie in a page of vectors.</summary>
    public NodeLayout Layout => NodeLayout.Lists(Stored, Dimension, Plan.PageSize);

    /// <summary>How the index is divided if there are as many lists and pages as there may be.</summary>
    public ListShape Largest
    {
        get
        {
            // The division makes at most twice as many lists as were aimed at: a leaf that drew too much is split into parts of the size that was aimed at.
            int lists = (int)Math.Min(Count, (2L * Plan.Lists) + 64);
            return new ListShape(lists, ListPlan.MaxPages(Layout, Count, lists), Plan.PageSize, Components, CentroidGraph.MaxDegree, 0, IsCoded);
        }
    }

    /// <summary>The files, and the bytes that each takes at most.</summary>
    /// <param name="keys">How the key directory is laid out.</param>
    public (FileRole Role, long Bytes)[] Sizes(KeyDirectoryOptions keys) => ListFilesWriter.Sizes(Layout, Largest, Count, CodeBytes, Code, keys);

    /// <summary>What the need of memory follows from.</summary>
    public ListNeeds Needs()
    {
        long training = 0, quantizer = 0, calibration = 0;
        if (IsCoded)
        {
            training = CodeTrainer.MemoryBytes(Count, Dimension, CodeBytes, Threads, Code);
            quantizer = (2 * QuantizerFormat.ByteLength(Dimension, CodeBytes, Code)) + (IndexFilesWriter.BatchRows * ((Dimension * sizeof(float)) + CodeBytes + sizeof(int)));
        }

        if (IsCalibrated)
            calibration = IndexCalibrator.ListMemoryBytes(VectorBytes, Math.Max(Plan.PageSize, ListIndex.ReadBytes));
        return new ListNeeds(Count, VectorBytes + sizeof(ulong), Form, Plan, Largest, Threads, training, quantizer, calibration);
    }
}
