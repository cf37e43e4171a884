namespace VectorPipe.Bench.Simulations;

/// <summary>A call of a node to another one, from which an answer comes back, or that the other one is gone.</summary>
internal sealed class SimulatedCall(SimulatedClock clock, TimeSpan way, Action answered, Action lost)
{
    public void Answer() => clock.After(way, answered);

    public void Lose() => clock.After(way, lost);
}
