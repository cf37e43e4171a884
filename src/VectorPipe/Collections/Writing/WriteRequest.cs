namespace VectorPipe.Collections.Writing;

/// <summary>Writes that become durable and visible together, or not at all; or a step of maintenance between two groups.</summary>
internal sealed class WriteRequest
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <param name="writes">The writes, in order.</param>
    public WriteRequest(WriteOperation[] writes) => Writes = writes;

    /// <param name="step">Runs on the writer's thread between two groups.</param>
    public WriteRequest(Action step)
        : this([]) => Step = step;

    public WriteOperation[] Writes { get; }

    /// <summary>The step; null for writes.</summary>
    public Action? Step { get; }

    /// <summary>Whether it is a step that changes nothing.</summary>
    public bool OnlyReads { get; init; }

    /// <summary>Most bytes in the log.</summary>
    public long LogBytes => Writes.Sum(write => (long)write.LogBytes);

    /// <summary>Ends when the writes are durable and visible.</summary>
    public Task Task => _completion.Task;

    /// <summary>Why it is not made, whatever becomes of its group; null if it is.</summary>
    public Exception? Refusal { get; set; }

    /// <summary>Ends the task.</summary>
    /// <param name="error">Why its group failed; null if it did not.</param>
    public void End(Exception? error)
    {
        if ((Refusal ?? error) is { } failure)
            Fail(failure);
        else
            _completion.TrySetResult();
    }

    public void Fail(Exception error) => _completion.TrySetException(error);
}
