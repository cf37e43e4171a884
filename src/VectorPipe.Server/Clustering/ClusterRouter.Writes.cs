using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Cluster.Log;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <content>Writes: through the log.</content>
internal sealed partial class ClusterRouter
{
    private async Task AddAsync(Call call)
    {
        var arguments = AddArguments.Read(call);
        while (true)
        {
            ClusterSet set = await FindSetAsync(arguments.Name, call.Stop) ?? await MakeSetAsync(arguments, call.Stop);
            SetSettings settings = SettingsOf(set);
            ReadOnlyMemory<float> vector = arguments.VectorFor(settings);

            // What is in the log every replica must be able to keep.
            if (!VectorSet.Keeps(vector.Span, settings.Metric))
                throw new CommandException("ERR invalid vector specification");
            var record = new LogRecord(
                RecordKind.Put, Encoding.UTF8.GetBytes(arguments.Element), MemoryMarshal.AsBytes(vector.Span).ToArray(),
                arguments.Attributes is { } attributes ? attributes.ToArray() : (ReadOnlyMemory<byte>?)null);
            if (await AppendAsync(call, set, record) is { } isAdded)
            {
                call.Reply.Boolean(isAdded);
                return;
            }

            // The set was removed meanwhile: it is made again.
            await _membership.RefreshAsync(call.Stop);
        }
    }

    private async Task ChangeAsync(Call call, LogRecord record)
    {
        bool? isDone = null;
        while (isDone is null && await FindSetAsync(call.SetName(1), call.Stop) is { } set)
        {
            isDone = await AppendAsync(call, set, record);

            // The set was removed meanwhile; there may be another one by now.
            if (isDone is null)
                await _membership.RefreshAsync(call.Stop);
        }

        call.Reply.Boolean(isDone ?? false);
    }

    // The replicas on this node, one after another: each node has its own indexes.
    private async Task CompactAsync(CommandInfo info, Call call)
    {
        string name = call.SetName(1);
        if (await FindSetAsync(name, call.Stop) is null)
        {
            await info.Run(call);
            return;
        }

        bool isDone = false;
        foreach (LocalReplica replica in _keeper.All.Where(replica => replica.Name == name))
        {
            using HeldSet? held = replica.TryHold();
            isDone |= held is { } found && await found.Set.Collection.CompactAsync(cancellationToken: call.Stop);
        }

        call.Reply.Boolean(isDone);
    }

    // Null if the set is gone.
    private async Task<bool?> AppendAsync(Call call, ClusterSet set, LogRecord record)
    {
        ClusterShard shard = set.ShardOf(record.Element.Span);
        ShardAppender appender = _appenders.GetOrAdd(
            shard.Id, id => new ShardAppender(_log, id, _writer, _patience, _server.Clock));
        if (await appender.AppendAsync(record, call.Stop) is not { } position)
        {
            // Nobody writes to a shard that is gone; its number does not come again.
            if (_appenders.TryRemove(shard.Id, out ShardAppender? gone))
                await gone.DisposeAsync();
            return null;
        }

        call.Session.Note(shard.Id, position);
        return await OutcomeAsync(shard, position, call.Stop);
    }

    private async Task<bool> OutcomeAsync(ClusterShard shard, long position, CancellationToken cancellationToken)
    {
        string reason = "";
        if (await FindOwnAsync(shard, cancellationToken) is { } replica)
        {
            try
            {
                if (await WaitAsync(replica, position, cancellationToken) is { } outcome)
                    return outcome;
            }
            catch (CommandException e)
            {
                reason = e.Message;
            }
        }

        try
        {
            ReadOnlyMemory<byte> reply = await _calls.AskAsync(
                OthersOf(shard), [Bytes("XAPPLIED"), Bytes(shard.Id), Bytes(position)], isScan: false, static reply => reply.Span[0] == ':',
                cancellationToken);
            return reply.Span[1] == '1';
        }
        catch (NodeUnreachableException e)
        {
            throw new CommandException(
                $"NOREPLICA It is written, at position {position}, and no replica has answered: {reason} {e.Message}");
        }
    }
}
