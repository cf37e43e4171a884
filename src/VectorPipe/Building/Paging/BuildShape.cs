using VectorPipe.Building.Partitioned;

namespace VectorPipe.Building.Paging;

/// <summary>What a build's need of memory follows from.</summary>
/// <param name="Count">Vectors.</param>
/// <param name="Form">The form of the vectors in the kernels.</param>
/// <param name="RowBytes">Bytes of a vector and its key, as they were given.</param>
/// <param name="MaxDegree">R.</param>
/// <param name="Threads">Worker threads.</param>
/// <param name="TrainingBytes">Bytes that training the quantizer takes.</param>
/// <param name="Partitioned">How the graph is built.</param>
internal sealed record BuildShape(long Count, VectorForm Form, int RowBytes, int MaxDegree, int Threads, long TrainingBytes, PartitionedOptions Partitioned);
