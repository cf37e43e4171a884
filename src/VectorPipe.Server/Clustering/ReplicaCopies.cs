using System.Collections.Concurrent;
using System.Globalization;
using System.IO.Hashing;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Log;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Copies of replicas of this node, made for nodes that are to have one, and read by them piece by piece. Thread-safe.</summary>
/// <param name="folder">Where copies are made; it holds nothing else.</param>
/// <param name="logger">Hears of copies.</param>
/// <param name="clock">The clock.</param>
internal sealed class ReplicaCopies(string folder, ILogger logger, TimeProvider clock) : IAsyncDisposable
{
    /// <summary>Most bytes of a piece.</summary>
    public const int PieceBytes = 1 << 20;

    // Each takes as much disk as its replica.
    private const int MostCopies = 2;

    private static readonly TimeSpan _longestPause = TimeSpan.FromMinutes(2);

    private readonly ConcurrentDictionary<long, Copy> _copies = new();
    private readonly Lock _gate = new();
    private long _lastId;

    /// <summary>Deletes what an earlier process has left.</summary>
    /// <exception cref="IOException">It cannot be deleted.</exception>
    public static void Clear(string folder)
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }

    /// <summary>Begins a copy.</summary>
    /// <returns>Its number.</returns>
    /// <exception cref="CommandException">This node has no replica of the shard that can be asked, or makes enough copies.</exception>
    public long Begin(LocalReplica replica)
    {
        long shard = replica.Follower.Shard;
        if (!replica.IsServing || replica.TryHold() is not { } held)
            throw new CommandException($"NOTREADY This node has no replica of shard {shard} that can be copied");
        try
        {
            if (FindLack(held.Set.Folder) is { } lack)
                throw new CommandException("BUSY " + lack);
        }
        catch
        {
            held.Dispose();
            throw;
        }

        lock (_gate)
        {
            if (_copies.Count >= MostCopies)
            {
                held.Dispose();
                throw new CommandException("BUSY This node makes as many copies of replicas as it can");
            }

            long id = ++_lastId;
            string path = Path.Combine(folder, id.ToString(CultureInfo.InvariantCulture));
            var stop = new CancellationTokenSource();
            _copies[id] = new Copy(replica.Name, path, stop, MakeAsync(replica, held, path, stop.Token)) { UsedAt = clock.GetTimestamp() };
            _ = EndWhenIdleAsync(id, _copies[id], stop.Token);
            ClusteringLog.CopyBegun(logger, shard, path);
            return id;
        }
    }

    /// <summary>Describes a copy: its place in the log, and the name and length of each file; null while it is made.</summary>
    /// <exception cref="CommandException">There is no such copy, or it could not be made.</exception>
    public async Task<CopyContent?> DescribeAsync(long id)
    {
        Copy copy = Find(id);
        if (!copy.Making.IsCompleted)
            return null;
        try
        {
            return await copy.Making;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or VectorPipeException)
        {
            await EndAsync(id);
            throw new CommandException($"MISCONF The copy could not be made: {e.Message}");
        }
    }

    /// <summary>Reads a piece of a file.</summary>
    /// <param name="id">The copy.</param>
    /// <param name="file">The number of the file in its description.</param>
    /// <param name="offset">Where the piece begins, in bytes.</param>
    /// <returns>The piece and its checksum.</returns>
    /// <exception cref="CommandException">There is no such copy or file, or it cannot be read.</exception>
    public async Task<(ReadOnlyMemory<byte> Piece, long Checksum)> ReadAsync(long id, long file, long offset)
    {
        Copy copy = Find(id);
        if (await DescribeAsync(id) is not { } content || (ulong)file >= (ulong)content.Files.Count || offset < 0)
            throw new CommandException("ERR XCOPY READ: expected a file of a copy that is made");
        (string name, long length) = content.Files[(int)file];
        byte[] piece = new byte[Math.Clamp(length - offset, 0, PieceBytes)];
        try
        {
            // The copy may end meanwhile, and its files be deleted: on Windows only what shares that lets it.
            using Microsoft.Win32.SafeHandles.SafeFileHandle handle =
                File.OpenHandle(Path.Combine(copy.Path, name), share: FileShare.Read | FileShare.Delete);
            for (int at = 0; at < piece.Length;)
            {
                int read = await RandomAccess.ReadAsync(handle, piece.AsMemory(at), offset + at);
                at += read > 0 ? read : throw new EndOfStreamException($"{name}: expected {length} bytes, found {offset + at}");
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"MISCONF The copy could not be read: {e.Message}");
        }

        return (piece, unchecked((long)XxHash3.HashToUInt64(piece)));
    }

    /// <summary>Ends a copy, and deletes its files; does nothing if there is none.</summary>
    public async Task EndAsync(long id)
    {
        if (!_copies.TryGetValue(id, out Copy? copy))
            return;
        await copy.Stop.CancelAsync();
        await ((Task)copy.Making).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            if (_copies.TryRemove(id, out _) && Directory.Exists(copy.Path))
                Directory.Delete(copy.Path, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            ClusteringLog.CopyNotDeleted(logger, e, copy.Path);
        }
    }

    /// <summary>The name of the set of a copy.</summary>
    /// <exception cref="CommandException">There is no such copy.</exception>
    public string SetOf(long id) => Find(id).Set;

    public async ValueTask DisposeAsync()
    {
        foreach (long id in _copies.Keys)
            await EndAsync(id);
    }

    private static async Task<CopyContent> MakeAsync(LocalReplica replica, HeldSet held, string path, CancellationToken cancellationToken)
    {
        // The caller holds the lock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using (held)
        {
            // Before the copy: that may have more, and what it has twice is passed over.
            LogPlace place = replica.Follower.Saved;
            await held.Set.Collection.BackupAsync(path, cancellationToken: cancellationToken);
            return new CopyContent(
                place,
                [
                    .. Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
                        .Select(file => (Path.GetRelativePath(path, file).Replace('\\', '/'), new FileInfo(file).Length)),
                ]);
        }
    }

    // A disk that a copy has filled ends the replicas on it.
    private string? FindLack(string source)
    {
        const long Margin = 1L << 30;
        long bytes = new DirectoryInfo(source).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Exists ? file.Length : 0);
        var drive = new DriveInfo(Path.GetFullPath(source));
        return drive.AvailableFreeSpace >= bytes + Math.Min(Margin, bytes)
            ? null
            : $"expected room for a copy of {bytes} bytes in {folder}, and some more, found {drive.AvailableFreeSpace} bytes";
    }

    // Whoever reads it may be gone.
    private async Task EndWhenIdleAsync(long id, Copy copy, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && clock.GetElapsedTime(copy.UsedAt) < _longestPause)
            await Task.Delay(_longestPause, clock, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!ended.IsCancellationRequested)
            await EndAsync(id);
    }

    private Copy Find(long id)
    {
        if (!_copies.TryGetValue(id, out Copy? copy))
            throw new CommandException($"ERR XCOPY: expected a copy that was begun and has not ended, found {id}");
        copy.UsedAt = clock.GetTimestamp();
        return copy;
    }

    private sealed class Copy(string set, string path, CancellationTokenSource stop, Task<CopyContent> making)
    {
        private long _usedAt;

        public string Set => set;

        public string Path => path;

        public CancellationTokenSource Stop => stop;

        public Task<CopyContent> Making => making;

        public long UsedAt
        {
            get => Volatile.Read(ref _usedAt);
            set => Volatile.Write(ref _usedAt, value);
        }
    }
}
