using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>A replica on this node: the set that holds it, and who follows the log for it.</summary>
/// <param name="held">The set.</param>
/// <param name="store">What the log is applied to.</param>
/// <param name="follower">Who follows the log.</param>
/// <param name="wanted">The last position that the log had when it was opened: from there on it serves.</param>
/// <param name="taken">The position up to which others may have applied the log to the set before; 0 if nobody has.</param>
internal sealed class LocalReplica(HeldSet held, ShardStore store, ShardFollower follower, long wanted, long taken) : IAsyncDisposable
{
    // Records that are applied within some milliseconds.
    private const int MostBehind = 1024;

    private long _head = wanted;

    public ShardFollower Follower { get; } = follower;

    /// <summary>Name of the set that it is a part of.</summary>
    public string Name { get; } = held.Set.Settings.Name;

    /// <summary>Its name among the sets of this node.</summary>
    public string LocalName { get; } = held.Set.Settings.LocalName;

    /// <summary>Its set, held for the caller; null once it is closed.</summary>
    public HeldSet? TryHold() => held.Set.TryHold() ? new HeldSet(held.Set) : null;

    /// <summary>Bytes of memory that it takes; 0 once it is closed.</summary>
    public long MemoryBytes
    {
        get
        {
            using HeldSet? own = TryHold();
            return own?.Set.Collection.Status.MemoryBytes ?? 0;
        }
    }

    /// <summary>What it held at the last mark of the log; null if that is not known: it may have had more, as after a kill.</summary>
    public ReplicaDigest? Digest =>
        store.Digest is { } digest && digest.Position > taken ? digest : null;

    /// <summary>The position up to which it will not say what it held at a mark; 0 if it says it of all.</summary>
    public long Unknown => taken;

    /// <summary>Whether others have heard of <see cref="Unknown"/>; of one caller.</summary>
    public bool HasSaidUnknown { get; set; }

    /// <summary>Whether it may be read: it has all that the log had when it was opened.</summary>
    public bool IsServing => Follower.Failure is null && Follower.Applied >= Wanted;

    /// <summary>Whether it serves, or will in a moment: it is worth waiting for.</summary>
    public bool IsNear => Follower.Failure is null && Head - Follower.Applied < MostBehind;

    /// <summary>The position from which on it serves.</summary>
    public long Wanted { get; } = wanted;

    /// <summary>The last position of the log that is known.</summary>
    public long Head => Math.Max(Volatile.Read(ref _head), Follower.Applied);

    /// <summary>Hears that the log has positions up to this one.</summary>
    public void Hear(long head)
    {
        Volatile.Write(ref _head, head);
        Follower.Poke(head);
    }

    /// <summary>Waits until a position is applied.</summary>
    /// <returns>
    /// The outcome of its record; null if it is not known: too long ago, or applied again on a set that an earlier run had taken further.
    /// </returns>
    /// <exception cref="ReplicaException">The replica has ended.</exception>
    public async Task<bool?> WaitAsync(long position, CancellationToken cancellationToken)
    {
        bool? outcome = await Follower.WaitAsync(position, cancellationToken);
        return position > taken ? outcome : null;
    }

    /// <summary>Waits until a batch is applied.</summary>
    /// <returns>The outcomes of its records; null if they are not known, or another batch is at its place here.</returns>
    /// <exception cref="ReplicaException">The replica has ended.</exception>
    public async Task<bool[]?> WaitAsync(LogPlace end, int count, CancellationToken cancellationToken)
    {
        bool[]? outcomes = await Follower.WaitAsync(end, count, cancellationToken);
        return end.Position - count >= taken ? outcomes : null;
    }

    /// <summary>Notes that it holds something else than the log says: from its next start on, it cannot go on from what it has.</summary>
    /// <exception cref="IOException">The note could not be written.</exception>
    public void Condemn() => store.Condemn();

    public async ValueTask DisposeAsync()
    {
        await Follower.DisposeAsync();
        await store.DisposeAsync();
        held.Dispose();
    }
}
