using System.Runtime.CompilerServices;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Clustering;

/// <content>Reads: here, or on another node.</content>
internal sealed partial class ClusterRouter
{
    // A search with a longer deadline may take longer than others are waited for.
    private const double ShortMs = 4000;

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask ReadAsync(CommandInfo info, Call call)
    {
        string name = call.SetName(1);
        while (await FindSetAsync(name, call.Stop) is { } set)
        {
            try
            {
                await ReadSetAsync(info, call, set);
                return;
            }
            catch (NodeUnreachableException e)
            {
                // Unless the set was removed meanwhile, and perhaps made again on other nodes.
                if (_membership.Map.FindSet(name)?.Id == set.Id)
                    throw new CommandException("CLUSTERDOWN " + e.Message);
            }
        }

        // It answers as there is no such set.
        call.Replica = null;
        await info.Run(call);
    }

    private ValueTask ReadSetAsync(CommandInfo info, Call call, ClusterSet set)
    {
        if (set.Shards.Count == 1 || info.Name == "vdim")
            return ReadShardAsync(info, call, set, set.Shards[0]);
        if (info.Name is "vemb" or "vgetattr" or "vismember")
            return ReadShardAsync(info, call, set, set.ShardOf(call.Command[2]));
        var read = new ScatteredRead(
            call, set, SettingsOf(set), (shard, part) => ReadShardAsync(CommandInfo.Find(part.Command[0])!, part, set, shard));
        return read.RunAsync(info.Name);
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask ReadShardAsync(CommandInfo info, Call call, ClusterSet set, ClusterShard shard)
    {
        if (await TryReadHereAsync(info, call, shard))
            return;
        // What it holds stays on the node that holds it, and a client's cursor with its connection.
        if (info.Name == CursorCommand.Name || (info.Name == "vsim" && SimilarityArguments.HasCursor(call)))
            throw new CommandException("ERR XCURSOR: expected a replica of the set on this node that can be read, found none");
        try
        {
            await PassOnAsync(call, shard);
        }
        catch (NodeUnreachableException)
        {
            // Its nodes may have other addresses by now.
            await RefreshIfPossibleAsync(call.Stop);
            if (_membership.Map.FindSet(set.Name)?.Id != set.Id)
                throw;
            await PassOnAsync(call, shard);
        }
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

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<bool> TryReadHereAsync(CommandInfo info, Call call, ClusterShard shard)
    {
        if (await FindOwnAsync(shard, call.Stop) is not { IsNear: true } replica)
            return false;
        try
        {
            await ReachAsync(replica, Math.Max(call.Session.PositionOf(shard.Id), replica.Wanted), call.Stop);
            return await TryRunAsync(info, call, replica);
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

    // False if the replica has just been given up.
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<bool> TryRunAsync(CommandInfo info, Call call, LocalReplica replica)
    {
        if (replica.TryHold() is not { } held)
            return false;
        using (held)
        {
            call.Replica = held.Set;
            await info.Run(call);
        }

        return true;
    }

    // Whether a command may look at all elements, or may take as long as it was told.
    private static bool IsScan(Call call)
    {
        if (call.Command.Is(0, "VINFO") || call.Command.Is(0, "VRANGE") || call.Command.Is(0, "VRANDMEMBER"))
            return true;
        for (int at = 4; at < call.Count; at++)
        {
            bool isLate = call.Command.Is(at, "XDEADLINE") && at + 1 < call.Count && call.TryNumber(at + 1, out double ms) && ms > ShortMs;
            if (isLate || call.Command.Is(at, "TRUTH") || call.Command.Is(at, "XFILTER-ALL"))
                return true;
        }

        return false;
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask PassOnAsync(Call call, ClusterShard shard)
    {
        RespWriter command = call.PassedOn;
        command.Clear();
        command.Array(XshardArguments + call.Count);
        command.Bulk("XSHARD"u8);
        command.BulkInteger(shard.Id);
        command.BulkInteger(call.Session.PositionOf(shard.Id));
        command.BulkInteger(call.Reply.Version);
        for (int i = 0; i < call.Count; i++)
            command.Bulk(call.Command[i]);
        try
        {
            ReadOnlyMemory<byte> reply = await _calls.AskAsync(
                OthersOf(shard), command.WrittenMemory, IsScan(call) ? CallKind.Scan : CallKind.Read, ReplicaCalls.IsAnswer, call.Stop);
            call.Reply.Whole(reply.Span);
        }
        catch (NodeUnreachableException e) when (e.Message.StartsWith("-BUSY ", StringComparison.Ordinal))
        {
            throw new CommandException(e.Message[1..]);
        }
        catch (NodeUnreachableException e)
        {
            throw new NodeUnreachableException($"Shard {shard.Id} has no replica that answers: {e.Message}", e);
        }
    }
}
