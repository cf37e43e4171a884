using System.Collections.Concurrent;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Clustering;

/// <summary>Writes to the logs of shards: by one appender each, from the first write on for as long as there is the shard.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="log">The log.</param>
/// <param name="written">Receives what was written to a shard, in order, before its callers are told.</param>
/// <param name="patience">How long a write is tried.</param>
/// <param name="clock">The clock.</param>
internal sealed class ShardAppenders(IShardLog log, Action<long, LogEntry> written, TimeSpan patience, TimeProvider clock)
    : IAsyncDisposable
{
    private readonly ConcurrentDictionary<long, ShardAppender> _appenders = new();

    // Those that were let go, until they have ended.
    private readonly Lock _gate = new();
    private readonly List<Task> _ending = [];

    /// <summary>How many there are.</summary>
    public int Count => _appenders.Count;

    /// <summary>Writes a record.</summary>
    /// <returns>Where it is; null if there is no such shard.</returns>
    /// <exception cref="LogUnavailableException">It was not written.</exception>
    /// <exception cref="LogOutcomeUnknownException">It may have been written, or may be yet.</exception>
    public async Task<WrittenRecord?> AppendAsync(long shard, LogRecord record, CancellationToken cancellationToken)
    {
        while (true)
        {
            ShardAppender appender = _appenders.GetOrAdd(shard, Make);
            try
            {
                WrittenRecord? place = await appender.AppendAsync(record, cancellationToken);
                if (place is null)
                    Release(shard, appender);
                return place;
            }
            catch (LogUnavailableException) when (!_appenders.TryGetValue(shard, out ShardAppender? other) || other != appender)
            {
                // It was let go meanwhile. Whether there is the shard, the log says.
            }
        }
    }

    /// <summary>Lets go of those of shards that a map does not have.</summary>
    public void Keep(ClusterMap map)
    {
        if (_appenders.IsEmpty)
            return;
        HashSet<long> shards = [.. map.Sets.SelectMany(set => set.Shards).Select(shard => shard.Id)];
        foreach ((long shard, ShardAppender appender) in _appenders)
        {
            if (!shards.Contains(shard))
                Release(shard, appender);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ShardAppender appender in _appenders.Values)
            await appender.DisposeAsync();
        Task[] ending;
        lock (_gate)
            ending = [.. _ending];
        await Task.WhenAll(ending);
    }

    private ShardAppender Make(long shard) => new(log, shard, patience, clock, entry => written(shard, entry));

    private void Release(long shard, ShardAppender appender)
    {
        if (!_appenders.TryRemove(KeyValuePair.Create(shard, appender)))
            return;
        var ended = appender.DisposeAsync().AsTask();
        lock (_gate)
        {
            _ending.RemoveAll(one => one.IsCompleted);
            _ending.Add(ended);
        }
    }
}
