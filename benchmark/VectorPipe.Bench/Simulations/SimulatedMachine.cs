using System.Diagnostics;

namespace VectorPipe.Bench.Simulations;

/// <summary>The cores of a machine, which the work of its nodes takes in the order of its coming. Not thread-safe.</summary>
/// <param name="clock">The time.</param>
/// <param name="cores">How many.</param>
/// <param name="busyShare">The share of its time that work takes while many wait for a core: no thread is woken for it alone.</param>
internal sealed class SimulatedMachine(SimulatedClock clock, int cores, double busyShare)
{
    private readonly Queue<(SimulatedNode Node, TimeSpan Time, Action Done)> _waiting = new();
    private int _busy;

    /// <summary>Has a core work for a node.</summary>
    public void Work(SimulatedNode node, TimeSpan time, Action done)
    {
        if (_busy == cores)
            _waiting.Enqueue((node, time, done));
        else
            Start(node, time, done);
    }

    private void Start(SimulatedNode node, TimeSpan time, Action done)
    {
        _busy++;
        AssertInvariants();
        node.Worked += time;
        clock.After(time, () =>
        {
            _busy--;
            StartNext();
            node.GoOn(done);
        });
    }

    private void StartNext()
    {
        while (_busy < cores && _waiting.TryDequeue(out (SimulatedNode Node, TimeSpan Time, Action Done) next))
        {
            // The work of a node that is stopped comes again when it runs.
            if (next.Node.IsRunning)
                Start(next.Node, next.Time * ShareOf(_waiting.Count), next.Done);
            else
                next.Node.GoOn(() => Work(next.Node, next.Time, next.Done));
        }
    }

    // Works that wait together are woken for once, and so are the threads that hand them on.
    private double ShareOf(int others) => busyShare + ((1 - busyShare) / (1 + others));

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(_busy >= 0 && _busy <= cores, "no more works than there are cores");
}
