using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>A log in memory that fails by a seed: before a batch is written, behind it, or so that it is written later.</summary>
internal sealed class FaultyLog(int seed, double faults) : IShardLog
{
    private readonly Lock _gate = new();
    private readonly Random _random = new(seed);
    private readonly List<(LogEntry Entry, Guid Writer, long Sequence)> _entries = [];
    private readonly List<LogBatch> _late = [];
    private LogPlace _end;
    private long _floor;

    /// <summary>How often an append finds that earlier batches have been deleted since the last one, 0 to 1.</summary>
    public double Trims { get; init; }

    /// <summary>Times that it was read.</summary>
    public int Reads { get; private set; }

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

    public Task<LogPlace?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            // A part of what was written long ago is deleted.
            if (_random.NextDouble() < Trims)
                _floor = Math.Max(_floor, _entries.Count == 0 ? 0 : _entries[_random.Next(_entries.Count)].Entry.Last);

            // What is on its way arrives at any time, before a repetition or behind it.
            if (_late.Count > 0 && _random.Next(2) == 0)
            {
                if (Find(_late[0]) is not null || _late[0].SentBehind >= _floor)
                    Write(_late[0]);
                _late.RemoveAt(0);
            }

            if (IsDown)
                return Task.FromException<LogPlace?>(new LogUnavailableException("down"));
            if (batch.SentBehind < _floor && Find(batch) is null)
                return Task.FromException<LogPlace?>(new LogTrimmedException("deleted"));
            if (_random.NextDouble() >= faults)
                return Task.FromResult<LogPlace?>(Write(batch));
            switch (_random.Next(3))
            {
                case 0:
                    return Task.FromException<LogPlace?>(new LogUnavailableException("before"));
                case 1:
                    Write(batch);
                    return Task.FromException<LogPlace?>(new LogOutcomeUnknownException("behind"));
                default:
                    _late.Add(batch with { Payload = batch.Payload.ToArray() });
                    return Task.FromException<LogPlace?>(new LogOutcomeUnknownException("later"));
            }
        }
    }

    public Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            Reads++;
            if (IsDown)
                return Task.FromException<IReadOnlyList<LogEntry>>(new LogUnavailableException("down"));
            return after < _floor
                ? Task.FromException<IReadOnlyList<LogEntry>>(new LogTrimmedException("trimmed"))
                : Task.FromResult<IReadOnlyList<LogEntry>>([.. _entries.Select(one => one.Entry).Where(entry => entry.First > after)]);
        }
    }

    public Task<IReadOnlyDictionary<long, LogHead>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return IsDown
                ? Task.FromException<IReadOnlyDictionary<long, LogHead>>(new LogUnavailableException("down"))
                : Task.FromResult<IReadOnlyDictionary<long, LogHead>>(
                    shards.ToDictionary(shard => shard, _ => new LogHead(_end, _floor)));
        }
    }

    public Task<LogPlace?> AdoptAsync(long shard, LogPlace end, LogPlace saved, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task CleanAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

    public Task<int> TrimAsync(TimeSpan lost, CancellationToken cancellationToken) => throw new NotSupportedException();

    // Those that were deleted are not found.
    private LogPlace? Find(LogBatch batch)
    {
        int found = _entries.FindIndex(one => (one.Writer, one.Sequence) == (batch.Writer, batch.Sequence) && one.Entry.First > _floor);
        return found >= 0 ? new LogPlace(_entries[found].Entry.Last, _entries[found].Entry.Chain) : null;
    }

    private LogPlace Write(LogBatch batch)
    {
        if (Find(batch) is { } found)
            return found;
        long first = _end.Position + 1;
        _end = _end.Behind(batch.Count, LogBatchCodec.ChecksumOf(batch.Payload.Span));
        _entries.Add((new LogEntry(first, batch.Count, _end.Chain, batch.Payload.ToArray()), batch.Writer, batch.Sequence));
        return _end;
    }
}
