namespace VectorPipe.Tests.Crash;

/// <summary>Calls an action at the k-th report of one phase of a build.</summary>
/// <param name="phase">The phase.</param>
/// <param name="at">The report, from 0; a number that is never reached only counts reports.</param>
/// <param name="action">The action.</param>
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
