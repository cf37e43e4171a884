using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;
using VectorPipe.Storage.Files;

namespace VectorPipe.Server.Clustering;

/// <summary>A set of this server as a replica of a shard: each element knows the position that wrote it.</summary>
/// <remarks>One follower writes; clients read beside it.</remarks>
internal sealed class ShardStore : IShardStore, IAsyncDisposable
{
    private const string SavedFile = "saved";

    private readonly CancellationTokenSource _stop = new();
    private readonly VectorSet _set;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly Lock _file = new();
    private Task _hashing = Task.CompletedTask;
    private bool _isHashing;
    private bool _isCondemned;
    private (long Position, SetDigest Set)? _next;
    private StrongBox<ReplicaDigest>? _digest;

    /// <summary>Opens it.</summary>
    /// <exception cref="IOException">The file of the saved position cannot be read, or holds something else.</exception>
    public ShardStore(VectorSet set, ILogger logger)
    {
        _set = set;
        _logger = logger;
        string path = Path.Combine(set.Folder, SavedFile);
        if (!File.Exists(path))
            return;
        string text = File.ReadAllText(path);
        string[] words = text.Split(' ');
        Saved = words.Length == 2
            && long.TryParse(words[0], NumberStyles.None, CultureInfo.InvariantCulture, out long position)
            && long.TryParse(words[1], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long chain)
            ? new LogPlace(position, chain)
            : throw new IOException($"{path}: expected a place of a log, found '{text}'");
    }

    public LogPlace Saved { get; private set; }

    /// <summary>What was there at the last mark; null before the first.</summary>
    public ReplicaDigest? Digest => Volatile.Read(ref _digest)?.Value;

    /// <summary>Notes in the folder of a set, on the disk, up to which place of the log it has all.</summary>
    public static void Write(string folder, LogPlace place)
    {
        string path = Path.Combine(folder, SavedFile);
        using (var file = new FileStream(path + ".new", FileMode.Create, FileAccess.Write))
        {
            file.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{place.Position} {place.Chain}")));
            file.Flush(flushToDisk: true);
        }

        File.Move(path + ".new", path, overwrite: true);
        DirectorySync.Flush(folder);
    }

    public async ValueTask<bool> ApplyAsync(long position, LogRecord record, CancellationToken cancellationToken)
    {
        try
        {
            return await WriteAsync(position, record, cancellationToken);
        }
        catch (Exception e) when (e is InvalidVectorException or InvalidRecordException)
        {
            // No replica can keep it: it does nothing, everywhere.
            return false;
        }
    }

    public async ValueTask MarkAsync(long position, CancellationToken cancellationToken)
    {
        try
        {
            // One is hashed at a time, and the last of those that come meanwhile: all replicas hash what they hold at the last mark.
            SetDigest set = await SetDigest.BeginAsync(_set, _stop.Token);
            SetDigest? passed;
            lock (_gate)
            {
                passed = _next?.Set;
                _next = (position, set);
                if (!_isHashing)
                    _hashing = HashAsync();
                _isHashing = true;
            }

            if (passed is not null)
                await passed.DisposeAsync();
        }
        catch (Exception e) when (e is IOException or VectorPipeException)
        {
            // What cannot be hashed can be followed all the same.
            ClusteringLog.DigestFailed(_logger, e, _set.Settings.Shard, position);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _hashing;
        _stop.Dispose();
    }

    public async ValueTask SaveAsync(LogPlace place, CancellationToken cancellationToken)
    {
        await _set.Collection.FlushAsync(cancellationToken);
        lock (_file)
        {
            Write(_set.Folder, _isCondemned ? place.Beside() : place);
            Saved = place;
        }
    }

    /// <summary>Notes that the set holds something else than the log says, so that nobody follows the log from here again.</summary>
    /// <exception cref="IOException">The note could not be written; the next save writes it.</exception>
    public void Condemn()
    {
        lock (_file)
        {
            _isCondemned = true;
            Write(_set.Folder, Saved.Beside());
        }
    }

    private async Task HashAsync()
    {
        // The follower goes on meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (TakeNext() is { } next)
        {
            try
            {
                await using (next.Set)
                    Volatile.Write(ref _digest, new StrongBox<ReplicaDigest>(new ReplicaDigest(next.Position, await next.Set.SumAsync())));
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                // Closed.
            }
            catch (Exception e)
            {
                ClusteringLog.DigestFailed(_logger, e, _set.Settings.Shard, next.Position);
            }
        }
    }

    private (long Position, SetDigest Set)? TakeNext()
    {
        lock (_gate)
        {
            Debug.Assert(_isHashing, "only what hashes takes the next one");
            (long Position, SetDigest Set)? next = _next;
            _next = null;
            _isHashing = next is not null;
            return next;
        }
    }

    private async Task<bool> WriteAsync(long position, LogRecord record, CancellationToken cancellationToken)
    {
        string element = Encoding.UTF8.GetString(record.Element.Span);
        Include include = Include.Payload | Include.Attributes | (record.Kind == RecordKind.SetAttributes ? Include.Vector : 0);
        CollectionRecord<string>? before = await _set.Collection.GetAsync(element, include, cancellationToken);
        if (before?.Attributes![VectorSet.PositionName].AsInt64() >= position)
            return false;
        switch (record.Kind)
        {
            case RecordKind.Put:
                await WriteAsync(
                    element, MemoryMarshal.Cast<byte, float>(record.Vector.Span).ToArray(),
                    record.Attributes ?? before?.Payload ?? default, position, cancellationToken);
                return before is null;
            case RecordKind.SetAttributes when before is not null:
                await WriteAsync(
                    element, before.GetVector<float>().ToArray(), record.Attributes.GetValueOrDefault(), position, cancellationToken);
                return true;
            case RecordKind.Remove:
                return await _set.Collection.DeleteAsync(element, cancellationToken);
            default:
                return false;
        }
    }

    private Task WriteAsync(
        string element, ReadOnlyMemory<float> vector, ReadOnlyMemory<byte> attributes, long position, CancellationToken cancellationToken)
    {
        var values = new AttributeSet { [VectorSet.PositionName] = position };
        if (!attributes.IsEmpty)
            values[VectorSet.AttributedName] = true;
        return _set.Collection.UpsertAsync(element, vector, values, attributes, cancellationToken);
    }
}
