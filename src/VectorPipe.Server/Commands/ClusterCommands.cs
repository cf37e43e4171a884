using VectorPipe.Server.Access;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands of a cluster: three that nodes send each other, and three for people.</summary>
internal static class ClusterCommands
{
    private const AccessCategory Categories = Admin | Slow | Dangerous;

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("xshard", -6, CommandKind.Read, Categories, call => RouterOfNode(call).ServeAsync(call), 5),
        new("xapplied", 5, CommandKind.Read, Categories, call => RouterOfNode(call).AnswerAppliedAsync(call)),
        new("xcopy", -3, CommandKind.Read, Categories, call => RouterOfNode(call).CopyAsync(call)),
        new("xnode", 3, CommandKind.Control, Categories, call => RouterOf(call).ChangeNodeAsync(call)),
        new("xcheck", 2, CommandKind.Control, Categories, call => RouterOf(call).RunAsync(CommandInfo.Find("xcheck"u8)!, call), 1),
        new("xnodes", 1, CommandKind.Control, Categories, ConnectionCommands.Do(Describe)),
    ];

    private static void Describe(Call call)
    {
        IReadOnlyList<NodeState> nodes = RouterOf(call).Nodes;
        call.Reply.Array(nodes.Count);
        foreach (NodeState node in nodes)
        {
            call.Reply.Map(8);
            call.Reply.Simple("name");
            call.Reply.Bulk(node.Name);
            call.Reply.Simple("address");
            call.Reply.Bulk(node.Address);
            call.Reply.Simple("alive");
            call.Reply.Boolean(node.IsAlive);
            call.Reply.Simple("self");
            call.Reply.Boolean(node.IsSelf);
            call.Reply.Simple("leaving");
            call.Reply.Boolean(node.IsLeaving);
            call.Reply.Simple("shards");
            call.Reply.Integer(node.Shards);
            call.Reply.Simple("joining");
            call.Reply.Integer(node.Joining);
            call.Reply.Simple("behind");
            if (node.Behind is { } behind)
                call.Reply.Integer(behind);
            else
                call.Reply.Null();
        }
    }

    private static ISetRouter RouterOfNode(Call call)
    {
        ISetRouter router = RouterOf(call);
        call.Session.IsNode = true;
        return router;
    }

    private static ISetRouter RouterOf(Call call) =>
        call.Server.Router ?? throw new CommandException("ERR This server is in no cluster (--cluster)");
}
