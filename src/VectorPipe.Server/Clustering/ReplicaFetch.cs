using System.Globalization;
using System.IO.Hashing;
using System.Text;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Cluster.Log;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using VectorPipe.Storage.Files;

namespace VectorPipe.Server.Clustering;

/// <summary>Brings a replica of another node to this one. Thread-safe.</summary>
internal sealed class ReplicaFetch(ReplicaCalls calls, TimeProvider clock)
{
    /// <summary>How an error begins that says up to which position a replica has gone that does not follow the log.</summary>
    public const string Off = "-OFFLOG ";

    private static readonly TimeSpan _longestEnd = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(100);

    /// <summary>Fetches a copy, file by file, and notes its place in the log.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="sources">Nodes that may have a replica; the first that has one is taken.</param>
    /// <param name="folder">The folder of the set.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <exception cref="NodeUnreachableException">No node gives one.</exception>
    /// <exception cref="ReplicasOffException">None has one that follows the log; all have answered.</exception>
    /// <exception cref="InvalidDataException">A copy was begun, and has not come, or other bytes than were sent.</exception>
    public async Task RunAsync(long shard, IReadOnlyList<ClusterNode> sources, string folder, CancellationToken cancellationToken)
    {
        string reason = "no other node has a replica";
        var off = new List<(Guid Node, long Position)>();
        InvalidDataException? damage = null;
        foreach (ClusterNode source in sources)
        {
            try
            {
                await FetchAsync(source, shard, folder, cancellationToken);
                return;
            }
            catch (ReplicasOffException e)
            {
                off.Add((source.Id, e.Positions[0].Position));
            }
            catch (NodeUnreachableException e)
            {
                reason = e.Message;
            }
            catch (InvalidDataException e)
            {
                damage = e;
            }
        }

        if (damage is not null)
            throw damage;
        throw off.Count == sources.Count ? new ReplicasOffException(off) : new NodeUnreachableException(reason);
    }

    private async Task FetchAsync(ClusterNode source, long shard, string folder, CancellationToken cancellationToken)
    {
        long id = (await AskAsync(source, "BEGIN", [shard], cancellationToken)).Integer();
        try
        {
            await FetchCopyAsync(source, id, folder, cancellationToken);
        }
        catch (NodeUnreachableException e)
        {
            throw new InvalidDataException($"the copy of node {source.Name} has not come: {e.Message}", e);
        }
        finally
        {
            await EndAsync(source, id);
        }
    }

    private async Task FetchCopyAsync(ClusterNode source, long id, string folder, CancellationToken cancellationToken)
    {
        ReplyReader reply;
        while ((reply = await AskAsync(source, "FILES", [id], cancellationToken)).IsNull)
            await Task.Delay(_pause, clock, cancellationToken);
        int values = reply.Array();
        var place = new LogPlace(reply.Integer(), reply.Integer());
        string collection = Path.Combine(folder, SetStore.CollectionFolder);
        if (Directory.Exists(collection))
            Directory.Delete(collection, recursive: true);
        Directory.CreateDirectory(collection);
        for (int file = 0; file < (values - 2) / 2; file++)
        {
            string name = Encoding.UTF8.GetString(reply.Bulk().GetValueOrDefault().Span);
            await FetchFileAsync(source, id, file, PathOf(collection, name), reply.Integer(), cancellationToken);
        }

        foreach (string below in Directory.EnumerateDirectories(collection))
            DirectorySync.Flush(below);
        DirectorySync.Flush(collection);
        ShardStore.Write(folder, place);
    }

    private async Task FetchFileAsync(
        ClusterNode source, long id, long file, string path, long length, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        await using var target = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        for (long at = 0; at < length;)
        {
            ReplyReader reply = await AskAsync(source, "READ", [id, file, at], cancellationToken);
            reply.Array();
            ReadOnlyMemory<byte> piece = reply.Bulk().GetValueOrDefault();
            if (piece.IsEmpty || reply.Integer() != unchecked((long)XxHash3.HashToUInt64(piece.Span)))
                throw new InvalidDataException($"{path}: expected the bytes from {at} on as node {source.Name} has them, found others");
            await target.WriteAsync(piece, cancellationToken);
            at += piece.Length;
        }

        target.Flush(flushToDisk: true);
    }

    // Names come from another node: nothing outside of the folder is written.
    private static string PathOf(string folder, string name)
    {
        string path = Path.GetFullPath(Path.Combine(folder, name));
        return path.StartsWith(Path.GetFullPath(folder) + Path.DirectorySeparatorChar, StringComparison.Ordinal)
            ? path
            : throw new InvalidDataException($"expected the name of a file of a collection, found '{name}'");
    }

    private async Task EndAsync(ClusterNode source, long id)
    {
        try
        {
            using var longest = new CancellationTokenSource(_longestEnd, clock);
            await AskAsync(source, "END", [id], longest.Token);
        }
        catch (Exception e) when (e is NodeUnreachableException or OperationCanceledException)
        {
            // It ends it by itself when nobody has read for a while.
        }
    }

    private async Task<ReplyReader> AskAsync(ClusterNode source, string verb, long[] numbers, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte>[] arguments =
        [
            "XCOPY"u8.ToArray(), Encoding.ASCII.GetBytes(verb),
            .. numbers.Select(number => (ReadOnlyMemory<byte>)Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture))),
        ];
        ReadOnlyMemory<byte> reply = await calls.AskAsync(
            [source], LinkCommand.Encode(arguments), CallKind.Scan, ReplicaCalls.IsAnswer, cancellationToken);
        if (reply.Span[0] != '-')
            return new ReplyReader(reply);
        string text = Encoding.UTF8.GetString(reply.Span).Trim();
        if (text.StartsWith(Off, StringComparison.Ordinal)
            && long.TryParse(text.AsSpan(Off.Length), NumberStyles.None, CultureInfo.InvariantCulture, out long position))
        {
            throw new ReplicasOffException([(source.Id, position)]);
        }

        throw new NodeUnreachableException($"{source.Name}: {text}");
    }
}
