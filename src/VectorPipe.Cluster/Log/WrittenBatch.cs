using System.Diagnostics;

namespace VectorPipe.Cluster.Log;

/// <summary>A batch that is in the log. Those whose records it has ask for what they did at once. Thread-safe.</summary>
/// <param name="end">The place behind it.</param>
/// <param name="count">Records, 1 or more.</param>
internal sealed class WrittenBatch(LogPlace end, int count)
{
    private readonly Lock _gate = new();
    private Task<bool[]>? _outcomes;

    /// <summary>The place behind it.</summary>
    public LogPlace End { get; } = end;

    /// <summary>Records.</summary>
    public int Count { get; } = count;

    /// <summary>Position of the first record.</summary>
    public long First => End.Position - Count + 1;

    /// <summary>What its records did, in order. All who ask share an answer; whoever comes after a failure asks again.</summary>
    public Task<bool[]> OutcomesAsync(Func<WrittenBatch, Task<bool[]>> ask)
    {
        Debug.Assert(Count > 0 && First > 0, "positions of its records are behind the beginning of the log");
        lock (_gate)
        {
            if (_outcomes is null or { IsCompleted: true, IsCompletedSuccessfully: false })
                _outcomes = ask(this);
            return _outcomes;
        }
    }
}
