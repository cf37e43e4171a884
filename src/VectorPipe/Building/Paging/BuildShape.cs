using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Building.Paging;

/// <summary>What a build's need of memory follows from.</summary>
/// <param name="Count">Vectors.</param>
/// <param name="RecordBytes">Bytes of a vector as it was given, and its key.</param>
/// <param name="Form">The form of the vectors in the kernels.</param>
/// <param name="MaxDegree">R.</param>
/// <param name="Threads">Worker threads.</param>
/// <param name="TrainingBytes">Bytes that training the quantizer takes.</param>
/// <param name="Partitioned">How the graph is built.</param>
internal sealed record BuildShape(long Count, int RecordBytes, VectorForm Form, int MaxDegree, int Threads, long TrainingBytes, PartitionedOptions Partitioned)
{
    /// <summary>What the merged layout needs besides; null for the plain one.</summary>
    public MergedNeeds? Merged { get; init; }
}
