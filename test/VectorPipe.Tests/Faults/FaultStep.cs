namespace VectorPipe.Tests.Faults;

/// <summary>The calls of a device at which a fault can happen.</summary>
internal enum FaultStep
{
    Enqueue,
    Submit,
    Reap,
}
