namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Stops a build at a report until the test lets it go on.</summary>
internal sealed class StoppedProgress : IProgress<BuildProgress>, IDisposable
{
    private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ManualResetEventSlim _goesOn = new();

    /// <summary>The phase at which it stops; null for the first report.</summary>
    public string? Phase { get; init; }

    /// <summary>The error that ends the build then; null for none.</summary>
    public Exception? Error { get; init; }

    /// <summary>Ends when the build has stopped.</summary>
    public Task Reached => _reached.Task;

    public void GoOn() => _goesOn.Set();

    public void Report(BuildProgress value)
    {
        if (Phase is not null && Phase != value.Phase)
            return;
        _reached.TrySetResult();
        _goesOn.Wait();
        if (Error is not null)
            throw Error;
    }

    // A build that has not ended goes on.
    public void Dispose() => GoOn();
}
