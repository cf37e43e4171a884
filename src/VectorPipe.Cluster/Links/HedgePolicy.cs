using System.Diagnostics;

namespace VectorPipe.Cluster.Links;

/// <summary>
/// When reads that are passed on ask a second node because the first one is late: after the p95 of recent replies, and at most five
/// more for each hundred reads.
/// </summary>
/// <remarks>Without a budget, a time in which all nodes are slow would double their work. Thread-safe; no IO, no clock.</remarks>
internal sealed class HedgePolicy
{
    private const int CallsOfHedge = 20;
    private const int MostSaved = 5 * CallsOfHedge;

    // Below, the timers of a busy machine are later than the replies.
    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(2);

    private static readonly TimeSpan _longestSilence = TimeSpan.FromSeconds(2);

    private readonly ReplyTimes _times = new();
    private int _saved;
    private long _hedges;

    /// <summary>How long a node is waited for at most; a node that has to be waited for longer has failed.</summary>
    public static TimeSpan Longest { get; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How long a node is waited for until it is late.</summary>
    public TimeSpan Patience => _times.P95 is { } p95 ? TimeSpan.FromTicks(Math.Clamp(p95.Ticks, _shortest.Ticks, Longest.Ticks)) : Longest;

    /// <summary>How long a node that is only busy may answer nobody: as long as the p95 of replies, at least 50 ms.</summary>
    /// <remarks>Replies come in the order of calls, so several wait for a slow one, and come together.</remarks>
    public TimeSpan Silence =>
        _times.P95 is { } p95 ? TimeSpan.FromTicks(Math.Clamp(p95.Ticks, Longest.Ticks, _longestSilence.Ticks)) : Longest;

    /// <summary>Reads that a second node was asked for, as the first was late.</summary>
    public long Hedges => Volatile.Read(ref _hedges);

    /// <summary>Counts a read: twenty pay for a call to a second node, and a hundred are saved at most.</summary>
    public void CountCall()
    {
        int saved = Volatile.Read(ref _saved);
        while (saved < MostSaved && Interlocked.CompareExchange(ref _saved, saved + 1, saved) is var found && found != saved)
            saved = found;
        AssertInvariants();
    }

    /// <summary>Takes one call to a second node from the budget; false if there is none.</summary>
    public bool TryHedge()
    {
        int saved = Volatile.Read(ref _saved);
        while (saved >= CallsOfHedge)
        {
            int found = Interlocked.CompareExchange(ref _saved, saved - CallsOfHedge, saved);
            if (found == saved)
            {
                Interlocked.Increment(ref _hedges);
                AssertInvariants();
                return true;
            }

            saved = found;
        }

        return false;
    }

    /// <summary>Notes how long a reply took, or how long one that was late was waited for.</summary>
    public void CountReply(TimeSpan time) => _times.Add(time);

    [Conditional("DEBUG")]
    private void AssertInvariants() =>
        Debug.Assert(Volatile.Read(ref _saved) is >= 0 and <= MostSaved, "the budget is never overdrawn, and never more than its bound");
}
