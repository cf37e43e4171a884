using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>A log in memory that fails by a seed: before a batch is written, behind it, or so that it is written later.</summary>
internal sealed class FaultyLog(int seed, double faults) : IShardLog
{
    private readonly Lock _gate = new();
    private readonly Random _random = new(seed);
    private readonly List<(LogEntry Entry, Guid Writer, long Sequence)> _entries = [];
    private readonly List<LogBatch> _late = [];

    /// <summary>Whether nothing can be reached.</summary>
    public bool IsDown { get; set; }

    public IReadOnlyList<LogEntry> Entries
    {
        get
        {
            lock (_gate)
                return [.. _entries.Select(one => one.Entry)];
        }
    }

    public Task<long?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            // What is on its way arrives at any time, before a repetition or behind it.
            if (_late.Count > 0 && _random.Next(2) == 0)
            {
                Write(_late[0]);
                _late.RemoveAt(0);
            }

            if (IsDown)
                return Task.FromException<long?>(new LogUnavailableException("down"));
            if (_random.NextDouble() >= faults)
                return Task.FromResult<long?>(Write(batch));
            switch (_random.Next(3))
            {
                case 0:
                    return Task.FromException<long?>(new LogUnavailableException("before"));
                case 1:
                    Write(batch);
                    return Task.FromException<long?>(new LogOutcomeUnknownException("behind"));
                default:
                    _late.Add(batch with { Payload = batch.Payload.ToArray() });
                    return Task.FromException<long?>(new LogOutcomeUnknownException("later"));
            }
        }
    }

    public Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return IsDown
                ? Task.FromException<IReadOnlyList<LogEntry>>(new LogUnavailableException("down"))
                : Task.FromResult<IReadOnlyList<LogEntry>>([.. _entries.Select(one => one.Entry).Where(entry => entry.First > after)]);
        }
    }

    public Task<IReadOnlyDictionary<long, long>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken)
    {
        lock (_gate)
            return Task.FromResult<IReadOnlyDictionary<long, long>>(shards.ToDictionary(shard => shard, _ => Head));
    }

    private long Head => _entries.Count == 0 ? 0 : _entries[^1].Entry.Last;

    private long Write(LogBatch batch)
    {
        int found = _entries.FindIndex(one => (one.Writer, one.Sequence) == (batch.Writer, batch.Sequence));
        if (found >= 0)
            return _entries[found].Entry.First;
        var entry = new LogEntry(Head + 1, batch.Count, batch.Payload.ToArray());
        _entries.Add((entry, batch.Writer, batch.Sequence));
        return entry.First;
    }
}
