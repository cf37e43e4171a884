using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Phases;

/// <summary>The vectors of a build, as far as memory and time follow from them.</summary>
/// <param name="Metric">How near vectors are.</param>
/// <param name="Type">Type of a component.</param>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="Count">Vectors.</param>
internal sealed record BuildSize(DistanceMetric Metric, VectorElementType Type, int Dimension, long Count)
{
    /// <summary>Bytes of a vector.</summary>
    public int VectorBytes => Dimension * Type.SizeInBytes();

    /// <summary>Bytes of a vector and its key.</summary>
    public int RecordBytes => VectorBytes + sizeof(ulong);

    /// <summary>Bytes of the table of vectors and keys.</summary>
    public long RecordTableBytes => Count * RecordBytes;

    /// <summary>Bytes of an int for each vector.</summary>
    public long PositionBytes => Count * sizeof(int);

    /// <summary>Blocks of paged rows that are in use at a time by threads that go through records from front to back.</summary>
    public static long ScanBytes(int threads) => threads * 2L * PagedMemory.BytesTogether;

    /// <summary>Processor seconds of work on rows.</summary>
    /// <param name="rows">Rows.</param>
    /// <param name="fixedUs">Microseconds a row, whatever the vectors.</param>
    /// <param name="distanceUs">Microseconds a row that grow with the time of a distance; for vectors of 128 bytes.</param>
    /// <param name="threads">Threads that share the work.</param>
    public double Seconds(double rows, double fixedUs, double distanceUs, int threads = 1) =>
        rows * (fixedUs + (distanceUs * MachineModel.DistanceUnits(Dimension, Type.SizeInBytes() > 1))) / 1e6 / threads;
}
