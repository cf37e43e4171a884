namespace VectorPipe.Tests.Faults;

/// <summary>Where in the device a step is counted.</summary>
internal enum FaultStep
{
    Enqueue,
    Submit,
    Reap,
}
