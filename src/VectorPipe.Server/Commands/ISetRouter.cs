using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>Carries out commands about sets that are on other machines, too. Thread-safe.</summary>
internal interface ISetRouter : ISetNames
{
    /// <summary>The replicas on this node.</summary>
    IReadOnlyList<ReplicaState> Replicas { get; }

    /// <summary>The nodes of the cluster.</summary>
    IReadOnlyList<NodeState> Nodes { get; }

    /// <summary>The shards of all sets.</summary>
    IReadOnlyList<ShardState> Shards { get; }

    /// <summary>Reads passed on that a second node was asked for, as the first was late.</summary>
    long Hedges { get; }

    /// <summary>Carries out a command about one set, and writes its reply.</summary>
    /// <exception cref="CommandException">It cannot be carried out.</exception>
    ValueTask RunAsync(CommandInfo info, Call call);

    /// <summary>Carries out a command that another node has passed on, about the replica on this one.</summary>
    /// <exception cref="CommandException">It cannot be carried out.</exception>
    ValueTask ServeAsync(Call call);

    /// <summary>Says what the records of a batch of the log did, once the replica on this node has it.</summary>
    /// <exception cref="CommandException">It cannot be said.</exception>
    Task AnswerAppliedAsync(Call call);

    /// <summary>Makes, describes, reads or ends a copy of a replica of this node, for another one.</summary>
    /// <exception cref="CommandException">It cannot be done.</exception>
    Task CopyAsync(Call call);

    /// <summary>Says that a node leaves, or stays, or is gone.</summary>
    /// <exception cref="CommandException">There is no such node, or it is not gone.</exception>
    Task ChangeNodeAsync(Call call);
}
