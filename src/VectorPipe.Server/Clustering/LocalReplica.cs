using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>A replica on this node: the set that holds it, and who follows the log for it.</summary>
internal sealed class LocalReplica(HeldSet held, ShardFollower follower) : IAsyncDisposable
{
    private long _wanted = long.MaxValue;

    public ShardFollower Follower { get; } = follower;

    public string Name { get; } = held.Set.Settings.Name;

    /// <summary>Whether it may be read: it has all that the log had when it was first heard of.</summary>
    public bool IsServing => Follower.Failure is null && Follower.Applied >= Volatile.Read(ref _wanted);

    /// <summary>Hears that the log has positions up to this one.</summary>
    public void Hear(long head)
    {
        Interlocked.CompareExchange(ref _wanted, head, long.MaxValue);
        Follower.Poke(head);
    }

    public async ValueTask DisposeAsync()
    {
        await Follower.DisposeAsync();
        held.Dispose();
    }
}
