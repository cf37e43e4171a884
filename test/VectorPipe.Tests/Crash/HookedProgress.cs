namespace VectorPipe.Tests.Crash;

/// <summary>Watches one phase of a build, and does something at its k-th report.</summary>
/// <param name="phase">The phase.</param>
/// <param name="at">The report, from 0; a number that is never reached makes a counter of it.</param>
/// <param name="action">What is done then.</param>
internal sealed class HookedProgress(string phase, int at, Action action) : IProgress<BuildProgress>
{
    /// <summary>Reports of the phase so far.</summary>
    public int Reports { get; private set; }

    public void Report(BuildProgress value)
    {
        if (value.Phase == phase && Reports++ == at)
            action();
    }
}
