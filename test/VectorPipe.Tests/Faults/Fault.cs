namespace VectorPipe.Tests.Faults;

/// <summary>A fault of one read. The default is none.</summary>
internal readonly record struct Fault(FaultKind Kind, int Value = 0);
