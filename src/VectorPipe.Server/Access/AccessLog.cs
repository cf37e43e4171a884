namespace VectorPipe.Server.Access;

/// <summary>The commands that were refused lately, the last one first. Thread-safe.</summary>
internal sealed class AccessLog(TimeProvider clock)
{
    private const int MostEntries = 128;
    private const int MostNameLength = 128;

    // The same again within this time counts as one entry.
    private static readonly TimeSpan _longestSeries = TimeSpan.FromSeconds(60);

    private readonly TimeProvider _clock = clock;
    private readonly LinkedList<AccessLogEntry> _entries = [];
    private readonly Lock _lock = new();
    private long _ids;

    public void Add(AccessDenial denial, string user, string client)
    {
        DateTimeOffset now = _clock.GetUtcNow();
        long timestamp = _clock.GetTimestamp();
        denial = denial with { Object = Short(denial.Object) };
        user = Short(user);
        lock (_lock)
        {
            AccessLogEntry? same = _entries.FirstOrDefault(
                one => one.Denial == denial && one.User == user && _clock.GetElapsedTime(one.Timestamp, timestamp) <= _longestSeries);
            if (same is not null)
            {
                (same.Last, same.Timestamp, same.Client) = (now, timestamp, client);
                same.Count++;
                _entries.Remove(same);
            }

            _entries.AddFirst(same ?? new AccessLogEntry(_ids++, denial, user, client, now, timestamp));
            if (_entries.Count > MostEntries)
                _entries.RemoveLast();
        }
    }

    public AccessLogEntry[] Take(int most)
    {
        lock (_lock)
            return [.. _entries.Take(most)];
    }

    public void Clear()
    {
        lock (_lock)
            _entries.Clear();
    }

    // Clients choose the names: they must not fill the memory.
    private static string Short(string name) => name.Length > MostNameLength ? name[..MostNameLength] : name;
}
