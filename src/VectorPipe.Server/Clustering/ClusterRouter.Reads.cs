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
            ClusterShard shard = set.Shards[0];
            try
            {
                if (!await TryReadHereAsync(info, call, shard))
                    await PassOnAsync(call, shard);
                return;
            }
            catch (NodeUnreachableException e) when (asked == shard.Id)
            {
                throw new CommandException($"CLUSTERDOWN Shard {shard.Id} has no replica that answers: {e.Message}");
            }
            catch (NodeUnreachableException)
            {
                // The set may have been removed, and made again on other nodes.
                asked = shard.Id;
                await RefreshIfPossibleAsync(call.Stop);
            }
        }

        // There is no replica of that name here either: it answers as there is no such set.
        await info.Run(call);
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
        ReadOnlyMemory<byte> reply = await _calls.AskAsync(OthersOf(shard), arguments, ReplicaCalls.IsAnswer, call.Stop);
        call.Reply.Whole(reply.Span);
    }
}
