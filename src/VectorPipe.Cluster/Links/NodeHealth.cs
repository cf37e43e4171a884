namespace VectorPipe.Cluster.Links;

/// <summary>Whether a node has answered lately. One that did not three times in a row is asked last for a second. Thread-safe.</summary>
internal sealed class NodeHealth(TimeProvider clock)
{
    private const int MostFailures = 3;

    private static readonly TimeSpan _aside = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private int _failures;
    private long _failedAt;
    private long? _repliedAt;

    /// <summary>Whether others are to be asked first.</summary>
    public bool IsAside
    {
        get
        {
            lock (_gate)
                return _failures >= MostFailures && clock.GetElapsedTime(_failedAt) < _aside;
        }
    }

    /// <summary>Whether it has replied to any call in the last so much time.</summary>
    public bool HasRepliedWithin(TimeSpan time)
    {
        lock (_gate)
            return _repliedAt is { } at && clock.GetElapsedTime(at) < time;
    }

    public void CountReply()
    {
        lock (_gate)
        {
            _failures = 0;
            _repliedAt = clock.GetTimestamp();
        }
    }

    /// <summary>Counts a call without a reply, or one that was waited for as long as any is: not one that was merely late.</summary>
    public void CountFailure()
    {
        lock (_gate)
        {
            _failures++;
            _failedAt = clock.GetTimestamp();
        }
    }
}
