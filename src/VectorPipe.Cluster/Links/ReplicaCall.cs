using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Cluster.Links;

/// <summary>A read that is passed on: which node it asks, and how long it waits before it asks the next one, too.</summary>
/// <remarks>
/// <para>It decides and does no IO, so that a simulated cluster decides the same. The caller asks a node (<see cref="TryNext"/>), waits
/// <see cref="Patience"/>, and reports what came first.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class ReplicaCall<TNode>
    where TNode : class, IReplicaNode
{
    private readonly TNode[] _nodes;
    private readonly List<ReplicaAttempt<TNode>> _asked = [];
    private readonly HedgePolicy? _hedging;
    private readonly TimeSpan _longest;
    private readonly TimeProvider _clock;
    private TimeSpan _patience;
    private int _next;
    private bool _hasHedged;

    /// <summary>Begins one that is short: a second node may be asked early.</summary>
    public ReplicaCall(IEnumerable<TNode> nodes, HedgePolicy hedging, Random random, TimeProvider clock)
        : this(nodes, HedgePolicy.Longest, random, clock)
    {
        _hedging = hedging;
        hedging.CountCall();
    }

    /// <summary>Begins one.</summary>
    /// <param name="nodes">Nodes to ask.</param>
    /// <param name="longest">How long each is waited for before the next is asked.</param>
    /// <param name="random">Chooses among equals.</param>
    /// <param name="clock">The clock.</param>
    public ReplicaCall(IEnumerable<TNode> nodes, TimeSpan longest, Random random, TimeProvider clock)
    {
        _longest = longest;
        _clock = clock;
        _nodes = [.. nodes];
        Order(_nodes, random);
    }

    /// <summary>How long to wait for replies from now on before <see cref="IsNextDue"/>; null if there is no other node to ask.</summary>
    public TimeSpan? Patience => _next < _nodes.Length ? _patience : null;

    /// <summary>Takes the node that is to be asked now.</summary>
    /// <returns>False if all were asked.</returns>
    public bool TryNext([NotNullWhen(true)] out ReplicaAttempt<TNode>? attempt)
    {
        attempt = null;
        if (_next == _nodes.Length)
            return false;
        attempt = new ReplicaAttempt<TNode>(_nodes[_next++], _clock.GetTimestamp());
        _asked.Add(attempt);
        _patience = _hedging is null || _hasHedged ? _longest : _hedging.Patience;
        AssertInvariants();
        return true;
    }

    /// <summary>Decides when the patience is over: whether the next node is to be asked, or this one is to be waited for longer.</summary>
    public bool IsNextDue()
    {
        Debug.Assert(_next < _nodes.Length && _asked.Count > 0, "one was asked, and there is another one");
        ReplicaAttempt<TNode> last = _asked[^1];
        TimeSpan rest = _longest - _clock.GetElapsedTime(last.Began);
        if (_patience == _longest || last.IsLate || rest <= TimeSpan.Zero)
        {
            // Asked twice, reads of a busy node would take another one's time, too, when there is none.
            if (IsBusy(last))
            {
                _patience = _longest;
                return false;
            }

            // Those before it have been waited for longer still.
            foreach (ReplicaAttempt<TNode> attempt in _asked)
                Fail(attempt);
            return true;
        }

        // One of twenty is late without any fault of its node.
        last.IsLate = true;
        _patience = rest;
        return _hasHedged = _hedging!.TryHedge();
    }

    /// <summary>Notes the answer, which ends the read.</summary>
    public void CountAnswer(ReplicaAttempt<TNode> answered)
    {
        CountOther(answered);
        _hedging?.CountReply(_clock.GetElapsedTime(answered.Began));

        // Those that were late count with the time so far: without them, the p95 would be one of quick replies alone.
        foreach (ReplicaAttempt<TNode> attempt in _asked)
        {
            TimeSpan waited = _clock.GetElapsedTime(attempt.Began);
            if (waited > _longest)
                Fail(attempt);
            else if (attempt.IsLate)
                _hedging?.CountReply(waited);
        }
    }

    /// <summary>Notes a reply that is no answer.</summary>
    public void CountOther(ReplicaAttempt<TNode> replied)
    {
        replied.Node.Health.CountReply();
        _asked.Remove(replied);
    }

    /// <summary>Notes that a node cannot be reached. The next is asked at once, whatever the budget.</summary>
    public void CountFailure(ReplicaAttempt<TNode> failed)
    {
        failed.Node.Health.CountFailure();
        _asked.Remove(failed);
    }

    // A node that answers others has not failed.
    private bool IsBusy(ReplicaAttempt<TNode> attempt) => attempt.Node.Health.HasRepliedWithin(_hedging?.Silence ?? _longest);

    private void Fail(ReplicaAttempt<TNode> attempt)
    {
        if (attempt.HasFailed || IsBusy(attempt))
            return;
        attempt.HasFailed = true;
        attempt.Node.Health.CountFailure();
    }

    // Of two that were picked at random the one with fewer calls, so that a slow one gets less to do. The one with the fewest of all
    // would get the reads of all other nodes at once. Those that are set aside come last.
    private static void Order(TNode[] nodes, Random random)
    {
        if (nodes.Length < 2)
            return;
        random.Shuffle(nodes);
        int near = 0;
        for (int i = 0; i < nodes.Length; i++)
        {
            TNode node = nodes[i];
            if (node.Health.IsAside)
                continue;
            nodes.AsSpan(near, i - near).CopyTo(nodes.AsSpan(near + 1));
            nodes[near++] = node;
        }

        if (near > 1 && nodes[1].InFlight < nodes[0].InFlight)
            (nodes[0], nodes[1]) = (nodes[1], nodes[0]);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_patience > TimeSpan.Zero && _patience <= _longest, "no node is waited for longer than the longest");
        Debug.Assert(!_hasHedged || _hedging is not null, "scans ask nobody early");
    }
}
