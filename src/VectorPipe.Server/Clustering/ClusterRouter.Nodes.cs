using System.Globalization;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Clustering;

/// <content>Nodes, and copies of replicas for them.</content>
internal sealed partial class ClusterRouter
{
    public IReadOnlyList<NodeState> Nodes
    {
        get
        {
            ClusterMap map = _membership.Map;
            IReadOnlyDictionary<Guid, int> alive = _membership.Behind;
            return
            [
                .. from node in map.Nodes
                   let shards = map.ShardsOf(node.Id).ToLookup(one => one.IsJoining)
                   select new NodeState(
                       node.Name, node.Address, alive.ContainsKey(node.Id), node.Id == _membership.Self.Id, node.IsLeaving,
                       shards[false].Count(), shards[true].Count(),
                       alive.TryGetValue(node.Id, out int behind) ? behind : null),
            ];
        }
    }

    public IReadOnlyList<ShardState> Shards
    {
        get
        {
            ClusterMap map = _membership.Map;
            string[] NamesOf(IEnumerable<Guid> nodes) => [.. nodes.Select(node => map.FindNode(node)?.Name ?? $"{node}").Order()];
            return
            [
                .. from set in map.Sets
                   from shard in set.Shards
                   select new ShardState(
                       set.Name, shard.Id, NamesOf(shard.Nodes),
                       NamesOf(shard.Replicas.Where(replica => replica.IsJoining).Select(replica => replica.Node))),
            ];
        }
    }

    public async Task ChangeNodeAsync(Call call)
    {
        string verb = call.Command.Text(1).ToLowerInvariant();
        string name = call.Command.Text(2);
        try
        {
            bool isThere = verb switch
            {
                "leave" => await _catalogue.SetLeavingAsync(name, isLeaving: true, call.Stop),
                "stay" => await _catalogue.SetLeavingAsync(name, isLeaving: false, call.Stop),
                "forget" => await _catalogue.ForgetNodeAsync(name, isLost: false, call.Stop),
                "lost" => await _catalogue.ForgetNodeAsync(name, isLost: true, call.Stop),
                _ => throw new CommandException($"ERR XNODE: expected LEAVE, STAY, FORGET or LOST, found '{verb}'"),
            };
            if (!isThere)
                throw new CommandException($"ERR XNODE: expected the name of a node, found '{name}'");
            await _membership.RefreshAsync(call.Stop);
        }
        catch (ClusterException e)
        {
            throw new CommandException($"ERR XNODE: {e.Message}");
        }

        call.Reply.Ok();
    }

    public async Task CopyAsync(Call call)
    {
        string verb = call.Command.Text(1).ToLowerInvariant();
        if (!call.TryInteger(2, out long number))
            throw new CommandException("ERR value is not an integer or out of range");
        if (verb == "begin")
        {
            LocalReplica? replica = _keeper.FindOff(number) is null ? await FindReplicaAsync(number, call.Stop) : null;
            string? set = _membership.Map.Sets.FirstOrDefault(set => set.Shards.Any(shard => shard.Id == number))?.Name;
            RequireRight(call, set ?? throw NotReady(number));
            if (replica is null)
            {
                throw _keeper.FindOff(number) is { } place
                    ? new CommandException(ReplicaFetch.Off[1..] + place.Position.ToString(CultureInfo.InvariantCulture))
                    : NotReady(number);
            }

            call.Reply.Integer(_copies.Begin(replica));
            return;
        }

        RequireRight(call, _copies.SetOf(number));
        switch (verb)
        {
            case "files" when call.Count == 3:
                Write(call, await _copies.DescribeAsync(number));
                break;
            case "read" when call.Count == 5 && call.TryInteger(3, out long file) && call.TryInteger(4, out long offset):
                (ReadOnlyMemory<byte> piece, long checksum) = await _copies.ReadAsync(number, file, offset);
                call.Reply.Array(2);
                call.Reply.Bulk(piece.Span);
                call.Reply.Integer(checksum);
                break;
            case "end" when call.Count == 3:
                await _copies.EndAsync(number);
                call.Reply.Ok();
                break;
            default:
                throw new CommandException("ERR XCOPY: expected BEGIN shard, FILES copy, READ copy file offset or END copy");
        }
    }

    private static void RequireRight(Call call, string set)
    {
        if (!call.Session.User!.Rights.MayUse(set, isWrite: false))
            throw new CommandException($"NOPERM User {call.Session.User.Name} has no permissions to access the set of this copy");
    }

    private static void Write(Call call, CopyContent? content)
    {
        if (content is null)
        {
            call.Reply.Null();
            return;
        }

        call.Reply.Array(2 + (2 * content.Files.Count));
        call.Reply.Integer(content.Place.Position);
        call.Reply.Integer(content.Place.Chain);
        foreach ((string name, long length) in content.Files)
        {
            call.Reply.Bulk(name);
            call.Reply.Integer(length);
        }
    }
}
