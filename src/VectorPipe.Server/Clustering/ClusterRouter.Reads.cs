using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Clustering;

/// <content>Reads: here, or on another node.</content>
internal sealed partial class ClusterRouter
{
    private async Task ReadAsync(CommandInfo info, Call call)
    {
        long asked = 0;
        while (await FindSetAsync(call.SetName(1), call.Stop) is { } set)
        {
            try
            {
                await ReadSetAsync(info, call, set);
                return;
            }
            catch (NodeUnreachableException e) when (asked == set.Id)
            {
                throw new CommandException("CLUSTERDOWN " + e.Message);
            }
            catch (NodeUnreachableException)
            {
                // The set may have been removed, and made again on other nodes.
                asked = set.Id;
                await RefreshIfPossibleAsync(call.Stop);
            }
        }

        // It answers as there is no such set.
        call.Replica = null;
        await info.Run(call);
    }

    private Task ReadSetAsync(CommandInfo info, Call call, ClusterSet set)
    {
        if (set.Shards.Count == 1 || info.Name == "vdim")
            return ReadShardAsync(info, call, set.Shards[0]);
        if (info.Name is "vemb" or "vgetattr" or "vismember")
            return ReadShardAsync(info, call, set.ShardOf(call.Command[2]));
        var read = new ScatteredRead(
            call, set, SettingsOf(set), (shard, part) => ReadShardAsync(CommandInfo.Find(part.Command[0])!, part, shard));
        return read.RunAsync(info.Name);
    }

    private async Task ReadShardAsync(CommandInfo info, Call call, ClusterShard shard)
    {
        if (!await TryReadHereAsync(info, call, shard))
            await PassOnAsync(call, shard);
    }

    // Reads must go on without the database.
    private async Task RefreshIfPossibleAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _membership.RefreshAsync(cancellationToken);
        }
        catch (ClusterException e)
        {
            ClusteringLog.MapNotRead(_server.Logger, e.Message);
        }
    }

    private async Task<bool> TryReadHereAsync(CommandInfo info, Call call, ClusterShard shard)
    {
        if (await FindOwnAsync(shard, call.Stop) is not { IsNear: true } replica)
            return false;
        try
        {
            await WaitAsync(replica, Math.Max(call.Session.PositionOf(shard.Id), replica.Wanted), call.Stop);
            call.Replica = replica.LocalName;
            await info.Run(call);
            return true;
        }
        catch (CommandException e) when (e.Message.StartsWith("NOTREADY", StringComparison.Ordinal))
        {
            // Another node may be further.
            return false;
        }
        catch (Exception e) when (e is IOException or VectorPipeException and not (InvalidVectorException or SearchOverloadedException))
        {
            // What a disk of this node refuses, another one may have.
            ServerLog.CommandFailed(_server.Logger, e, info.Name, call.Session.Id);
            call.Reply.Clear();
            return false;
        }
    }

    private async Task PassOnAsync(Call call, ClusterShard shard)
    {
        ReadOnlyMemory<byte>[] arguments =
        [
            Bytes("XSHARD"), Bytes(shard.Id), Bytes(call.Session.PositionOf(shard.Id)), Bytes(call.Reply.Version),
            .. Enumerable.Range(0, call.Count).Select(call.Command.Memory),
        ];
        try
        {
            ReadOnlyMemory<byte> reply = await _calls.AskAsync(OthersOf(shard), arguments, ReplicaCalls.IsAnswer, call.Stop);
            call.Reply.Whole(reply.Span);
        }
        catch (NodeUnreachableException e)
        {
            throw new NodeUnreachableException($"Shard {shard.Id} has no replica that answers: {e.Message}", e);
        }
    }
}
