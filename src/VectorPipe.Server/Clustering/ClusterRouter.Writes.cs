using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <content>Writes: through the log.</content>
internal sealed partial class ClusterRouter
{
    private static readonly TimeSpan _patienceOfChecks = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan _betweenChecks = TimeSpan.FromMilliseconds(100);

    private async Task AddAsync(Call call)
    {
        var arguments = AddArguments.Read(call);
        while (true)
        {
            ClusterSet set = await FindSetAsync(arguments.Name, call.Stop)
                ?? await _newSets.MakeAsync(arguments.Name, arguments.SettingsOf(uid: 1), call.Stop);
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
            await RequireOtherAsync(set, call.Stop);
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
                await RequireOtherAsync(set, call.Stop);
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
        if (await _appenders.AppendAsync(shard.Id, record, call.Stop) is not { } written)
            return null;

        call.Session.Note(shard.Id, written.Position);
        return await OutcomeAsync(shard, written, call.Stop);
    }

    private async Task RequireOtherAsync(ClusterSet gone, CancellationToken cancellationToken)
    {
        if ((await _membership.RefreshAsync(cancellationToken)).FindSet(gone.Name)?.Id == gone.Id)
            throw new ClusterException($"The database has set {gone.Name}, and no log of it.");
    }

    // Marks the log of each shard, and waits until all replicas have said what they hold at the same position.
    private async Task CheckAsync(Call call)
    {
        if (await FindSetAsync(call.SetName(1), call.Stop) is not { } set)
            throw new CommandException("ERR key does not exist");

        (ClusterShard Shard, long Position)[] marks = await Task.WhenAll(
            set.Shards.Select(async shard => (shard, await MarkAsync(shard, call.Stop))));
        long start = _server.Clock.GetTimestamp();
        call.Reply.Array(marks.Length);
        foreach ((ClusterShard marked, long mark) in marks)
        {
            (ClusterShard shard, ReplicaDigest[] digests) = await AwaitDigestsAsync(marked, mark, start, call.Stop);
            call.Reply.Map(5);
            call.Reply.Simple("shard");
            call.Reply.Integer(shard.Id);
            call.Reply.Simple("position");
            call.Reply.Integer(digests.Length > 0 ? digests[0].Position : mark);
            call.Reply.Simple("replicas");
            call.Reply.Integer(shard.Nodes.Count);
            call.Reply.Simple("answered");
            call.Reply.Integer(digests.Length);
            call.Reply.Simple("same");
            call.Reply.Boolean(digests.Distinct().Count() == 1);
        }
    }

    private async Task<long> MarkAsync(ClusterShard shard, CancellationToken cancellationToken) =>
        (await _appenders.AppendAsync(shard.Id, new LogRecord(RecordKind.Mark, default), cancellationToken))?.Position
            ?? throw new CommandException("ERR key does not exist");

    // What replicas hold at a mark of which most have said it: others mark the log, too, and then it is a later one.
    private async Task<(ClusterShard Shard, ReplicaDigest[] Digests)> AwaitDigestsAsync(
        ClusterShard shard, long mark, long start, CancellationToken cancellationToken)
    {
        long last = mark;
        var unknown = new HashSet<(Guid Node, ReplicaDigest Digest)>();
        while (true)
        {
            // Replicas move: one that has gone says nothing.
            shard = FindShard(shard.Id) ?? shard;
            IReadOnlyDictionary<Guid, ReplicaDigest> all = await _catalogue.ReadDigestsAsync(shard.Id, cancellationToken);

            // A replica that was opened behind the mark says it at the next one.
            (Guid Node, ReplicaDigest Digest)[] found =
                [.. shard.Nodes.Where(all.ContainsKey).Select(node => (node, all[node])).Where(one => one.Item2.IsUnknownAt(last))];
            if (!unknown.IsSupersetOf(found))
            {
                unknown.UnionWith(found);
                last = await MarkAsync(shard, cancellationToken);
            }

            ReplicaDigest[] most = shard.Nodes.Where(all.ContainsKey).Select(node => all[node])
                .Where(digest => digest.Position >= mark)
                .GroupBy(digest => digest.Position)
                .MaxBy(group => (group.Count(), group.Key))?.ToArray() ?? [];
            if (most.Length == shard.Nodes.Count || _server.Clock.GetElapsedTime(start) > _patienceOfChecks)
                return (shard, most);
            await Task.Delay(_betweenChecks, _server.Clock, cancellationToken);
        }
    }

    private ClusterShard? FindShard(long shard) =>
        _membership.Map.Sets.SelectMany(set => set.Shards).FirstOrDefault(one => one.Id == shard);

    private async Task<bool> OutcomeAsync(ClusterShard shard, WrittenRecord written, CancellationToken cancellationToken)
    {
        string reason = "";
        if (await FindOwnAsync(shard, cancellationToken) is { } replica)
        {
            try
            {
                if (await WaitAsync(replica, written.Position, cancellationToken) is { } outcome)
                    return outcome;
            }
            catch (CommandException e)
            {
                reason = e.Message;
            }
        }

        try
        {
            // Whoever asks first asks for all records of the batch, and goes on asking for them.
            bool[] outcomes = await written.Batch.OutcomesAsync(batch => AskOutcomesAsync(shard, batch)).WaitAsync(cancellationToken);
            return outcomes[written.Index];
        }
        catch (NodeUnreachableException e)
        {
            // Its replicas may be on other nodes by now.
            await RefreshIfPossibleAsync(cancellationToken);
            if (FindShard(shard.Id) is { } moved && !moved.Nodes.SequenceEqual(shard.Nodes))
                return await OutcomeAsync(moved, written, cancellationToken);

            throw new CommandException(
                $"NOREPLICA It is written, at position {written.Position}, and no replica has answered: {reason} {e.Message}");
        }
    }

    private async Task<bool[]> AskOutcomesAsync(ClusterShard shard, WrittenBatch batch)
    {
        ReadOnlyMemory<byte> reply = await _calls.AskAsync(
            OthersOf(shard),
            LinkCommand.Encode(
                [Bytes("XAPPLIED"), Bytes(shard.Id), Bytes(batch.End.Position), Bytes(batch.End.Chain), Bytes(batch.Count)]),
            CallKind.Outcome, static reply => reply.Span[0] == '$', CancellationToken.None);
        ReadOnlyMemory<byte> marks = new ReplyReader(reply).Bulk().GetValueOrDefault();
        return marks.Length == batch.Count
            ? [.. marks.ToArray().Select(mark => mark == (byte)'1')]
            : throw new NodeUnreachableException($"a node has answered for {marks.Length} of {batch.Count} records");
    }
}
