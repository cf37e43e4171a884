using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Phases;

/// <summary>The size of the vectors of a build, from which memory and time follow.</summary>
internal sealed record BuildSize(DistanceMetric Metric, VectorElementType Type, int Dimension, long Count)
{
    public int VectorBytes => Dimension * Type.SizeInBytes();

    /// <summary>Bytes of a vector and its key.</summary>
    public int RecordBytes => VectorBytes + sizeof(ulong);

    /// <summary>Bytes of all vectors and keys.</summary>
    public long RecordTableBytes => Count * RecordBytes;

    /// <summary>Bytes of an int for each vector.</summary>
    public long PositionBytes => Count * sizeof(int);

    /// <summary>Blocks in use by threads that go through records from front to back.</summary>
    public static long ScanBytes(int threads) => threads * 2L * PagedMemory.BytesTogether;

    /// <summary>Processor seconds of work on rows.</summary>
    /// <param name="rows">Rows.</param>
    /// <param name="fixedUs">Microseconds a row that do not depend on the vectors.</param>
    /// <param name="distanceUs">Microseconds a row that grow with the time of a distance, for vectors of 128 bytes.</param>
    /// <param name="threads">Threads that share the work.</param>
    public double Seconds(double rows, double fixedUs, double distanceUs, int threads = 1) =>
        rows * (fixedUs + (distanceUs * MachineModel.DistanceUnits(Dimension, Type.SizeInBytes() > 1))) / 1e6 / threads;
}
