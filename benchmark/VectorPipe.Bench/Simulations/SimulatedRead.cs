using VectorPipe.Cluster.Links;

namespace VectorPipe.Bench.Simulations;

/// <summary>A read of a shard: on the node that was asked, or passed on by the rule of the server. Not thread-safe.</summary>
/// <param name="asker">The node that was asked.</param>
/// <param name="clock">The clock.</param>
/// <param name="plan">What is simulated.</param>
/// <param name="ended">What its end leads to: true for an answer.</param>
internal sealed class SimulatedRead(SimulatedAsker asker, SimulatedClock clock, SimulationPlan plan, Action<bool> ended)
{
    // As the server waits for the last node that is left.
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(5);

    private readonly int _failures = asker.Node.Failures;
    private ReplicaCall<SimulatedPeer>? _call;
    private bool _isOver;
    private int _open;
    private int _turn;

    /// <summary>Calls to other nodes.</summary>
    public int Calls { get; private set; }

    public void Begin(IReadOnlyList<int> holders)
    {
        if (asker.IsAmong(holders))
        {
            asker.Node.Search(() => End(true));
            return;
        }

        _call = asker.Begin(holders);
        AskNext();
    }

    private void AskNext()
    {
        if (_call!.TryNext(out ReplicaAttempt<SimulatedPeer>? attempt))
        {
            _open++;
            Calls++;
            asker.Node.Work(plan.PassTime, () => attempt.Node.Call(() => Answer(attempt), () => Lose(attempt)));
        }
        else if (_open == 0)
        {
            End(false);
            return;
        }

        Wait();
    }

    private void Wait()
    {
        int turn = ++_turn;
        clock.After(_call!.Patience ?? _longest, () =>
        {
            if (IsOver || turn != _turn)
                return;
            if (_call.Patience is null)
                End(false);
            else if (_call.IsNextDue())
                AskNext();
            else
                Wait();
        });
    }

    private void Answer(ReplicaAttempt<SimulatedPeer> attempt)
    {
        if (IsOver)
            return;
        _call!.CountAnswer(attempt);
        End(true);
    }

    private void Lose(ReplicaAttempt<SimulatedPeer> attempt)
    {
        if (IsOver)
            return;
        _open--;
        _call!.CountFailure(attempt);
        AskNext();
    }

    // Also when the node that was asked has failed: its clients ask another one.
    private bool IsOver => _isOver || asker.Node.Failures != _failures;

    private void End(bool isAnswered)
    {
        if (IsOver)
            return;
        _isOver = true;
        ended(isAnswered);
    }
}
