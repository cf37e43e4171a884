namespace VectorPipe.Cluster.Links;

/// <summary>A command that is sent over a link, and what came of it. It ends once: with a reply, or without.</summary>
/// <remarks>Its link ends it, on any thread; who waits for it may give it up.</remarks>
/// <param name="inbox">Hears of the end; null if nobody waits.</param>
/// <param name="longest">After so long without a reply the connection is given up, with all that is on it.</param>
internal sealed class LinkCall(ReplyInbox? inbox, TimeSpan longest)
{
    private ReplyInbox? _inbox = inbox;

    public TimeSpan Longest => longest;

    /// <summary>Whether somebody waits for its end.</summary>
    public bool IsAwaited => Volatile.Read(ref _inbox) is not null;

    /// <summary>When it was sent; known to its connection alone.</summary>
    public long Sent { get; set; }

    /// <summary>For the caller: which of its attempts this is.</summary>
    public ReplicaAttempt<ReplicaNode>? Attempt { get; init; }

    /// <summary>For the caller: the call that it has begun before this one.</summary>
    public LinkCall? Earlier { get; init; }

    /// <summary>The call that ended next, as long as both are in the inbox; known to it alone.</summary>
    public LinkCall? Next { get; set; }

    /// <summary>The reply's bytes, whatever it says, once it has ended.</summary>
    public ReadOnlyMemory<byte> Reply { get; private set; }

    /// <summary>Why no reply came, once it has ended; null if one did.</summary>
    public NodeUnreachableException? Failure { get; private set; }

    /// <summary>Ends it with a reply.</summary>
    /// <param name="reply">Its bytes.</param>
    /// <param name="mayRunHere">Whether who waits may go on on this thread.</param>
    public void End(byte[] reply, bool mayRunHere)
    {
        if (Interlocked.Exchange(ref _inbox, null) is not { } inbox)
            return;
        Reply = reply;
        inbox.Add(this, mayRunHere);
    }

    /// <summary>Ends it without a reply.</summary>
    public void Fail(NodeUnreachableException failure)
    {
        if (Interlocked.Exchange(ref _inbox, null) is not { } inbox)
            return;
        Failure = failure;
        inbox.Add(this, mayRunHere: false);
    }

    /// <summary>Has nobody wait for it: a reply is passed over when it comes.</summary>
    public void GiveUp() => Volatile.Write(ref _inbox, null);
}
