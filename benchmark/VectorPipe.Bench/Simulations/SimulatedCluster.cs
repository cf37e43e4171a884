using System.Globalization;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Bench.Simulations;

/// <summary>A cluster that is searched at random; replicas are where the server places those of new sets.</summary>
/// <remarks>Equal plans give equal results. Not thread-safe.</remarks>
internal sealed class SimulatedCluster
{
    private static readonly TimeSpan _warmUp = TimeSpan.FromSeconds(1);

    private readonly SimulatedClock _clock = new();
    private readonly SimulationPlan _plan;
    private readonly Random _random;
    private readonly SimulatedNode[] _nodes;
    private readonly SimulatedAsker[] _askers;
    private readonly int[][][] _sets;
    private readonly SimulationCounts _counts;
    private double _nextSeconds;

    private SimulatedCluster(SimulationPlan plan)
    {
        _plan = plan;
        _random = new Random(plan.Seed);
        _counts = new SimulationCounts(_warmUp, plan.Failures.Min(failure => failure.At));
        int machines = (plan.Nodes + plan.NodesOfMachine - 1) / plan.NodesOfMachine;
        SimulatedMachine[] all = [.. Enumerable.Range(0, machines).Select(_ => new SimulatedMachine(_clock, plan.Cores, plan.BusyShare))];
        IEnumerable<int> numbers = Enumerable.Range(0, plan.Nodes);
        _nodes = [.. numbers.Select(node => new SimulatedNode(_clock, all[node / plan.NodesOfMachine], plan, _random))];
        _askers = [.. numbers.Select(node => new SimulatedAsker(_clock, _nodes, node, plan, _random))];
        _sets = Place();
        foreach (PlannedFailure failure in plan.Failures)
            failure.Plan(_clock, _nodes[failure.Node]);
    }

    /// <summary>Simulates a plan.</summary>
    public static SimulationCounts Run(SimulationPlan plan, CancellationToken cancellationToken)
    {
        var cluster = new SimulatedCluster(plan);
        cluster.PlanNext();
        cluster._clock.RunUntil(_warmUp, cancellationToken);
        TimeSpan[] before = [.. cluster._nodes.Select(node => node.Worked)];
        long hedgesBefore = cluster._askers.Sum(asker => asker.Hedges);
        cluster._clock.RunUntil(_warmUp + plan.Length, cancellationToken);
        double[] worked = [.. cluster._nodes.Zip(before, (node, earlier) => (node.Worked - earlier).TotalSeconds)];
        cluster._counts.End(plan.Length, cluster._askers.Sum(asker => asker.Hedges) - hedgesBefore, worked);
        return cluster._counts;
    }

    private int[][][] Place()
    {
        byte[] id = new byte[16];
        var numbers = new Dictionary<Guid, int>();
        for (int node = 0; node < _plan.Nodes; node++)
        {
            _random.NextBytes(id);
            numbers.Add(new Guid(id), node);
        }

        ClusterNode[] nodes = [.. numbers.Select(pair => new ClusterNode(pair.Key, pair.Value.ToString(CultureInfo.InvariantCulture), ""))];
        return
        [
            .. from set in Enumerable.Range(0, _plan.Sets)
               let shards = Placement.Choose(nodes, set.ToString(CultureInfo.InvariantCulture), _plan.Shards, _plan.Replicas)
               select shards.Select(holders => holders.Select(holder => numbers[holder]).ToArray()).ToArray(),
        ];
    }

    // Searches of many clients that know nothing of each other. Times of the clock are rounded, which must not add up.
    private void PlanNext()
    {
        _nextSeconds -= Math.Log(1 - _random.NextDouble()) / (_plan.RatePerNode * _plan.Nodes);
        _clock.After(TimeSpan.FromSeconds(_nextSeconds) - _clock.Now, () =>
        {
            PlanNext();
            Search();
        });
    }

    // Clients are connected to nodes that run.
    private void Search()
    {
        SimulatedAsker asker = _askers[_random.Next(_askers.Length)];
        if (!asker.Node.IsRunning)
        {
            if (Array.Exists(_nodes, node => node.IsRunning))
                Search();
            return;
        }

        int[][] shards = _sets[_random.Next(_sets.Length)];
        TimeSpan came = _clock.Now;
        _counts.CountOffered(came);
        asker.Node.Work(_plan.AskTime, () => Scatter(asker, shards, came));
    }

    private void Scatter(SimulatedAsker asker, int[][] shards, TimeSpan came)
    {
        int left = shards.Length;
        bool isAnswered = true;
        foreach (int[] holders in shards)
        {
            bool isPassedOn = !asker.IsAmong(holders);
            TimeSpan began = _clock.Now;
            SimulatedRead? read = null;
            read = new SimulatedRead(asker, _clock, _plan, isFound =>
            {
                if (isPassedOn)
                    _counts.CountPassedOn(began, _clock.Now, read!.Calls);
                isAnswered &= isFound;
                if (--left == 0)
                    _counts.CountEnd(came, _clock.Now, isAnswered);
            });
            read.Begin(holders);
        }
    }
}
