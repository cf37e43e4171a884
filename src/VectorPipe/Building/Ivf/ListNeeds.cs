using VectorPipe.Building.Partitioned;
using VectorPipe.Storage;

namespace VectorPipe.Building.Ivf;

/// <summary>What the need of memory of a build of lists follows from.</summary>
/// <param name="Count">Vectors.</param>
/// <param name="RecordBytes">Bytes of a vector as it was given, and its key.</param>
/// <param name="Form">The form of the vectors in the kernels.</param>
/// <param name="Plan">The lists.</param>
/// <param name="Largest">How they are divided if there are as many lists and pages as there may be.</param>
/// <param name="Threads">Worker threads.</param>
/// <param name="TrainingBytes">Bytes that training the quantizer takes; 0 without codes.</param>
/// <param name="QuantizerBytes">Bytes of the quantizer, and of encoding a batch; 0 without codes.</param>
/// <param name="CalibrationBytes">Bytes that searches of the calibration take beside the lists; 0 if there is none.</param>
internal sealed record ListNeeds(
    long Count, int RecordBytes, VectorForm Form, ListPlan Plan, ListShape Largest, int Threads, long TrainingBytes, long QuantizerBytes, long CalibrationBytes);
