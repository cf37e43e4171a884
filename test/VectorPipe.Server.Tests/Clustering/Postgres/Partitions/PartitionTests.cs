using System.Globalization;
using System.Net;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres.Partitions;

/// <summary>Three nodes of which one is cut off from the database, from the other nodes, or all of them from the database.</summary>
/// <remarks>One cluster after another way to be cut off: each test ends with nodes that are whole.</remarks>
/// <param name="seconds">How long.</param>
/// <param name="isSilent">Whether bytes do not arrive; otherwise connections are closed.</param>
[TestFixture(2, true)]
[TestFixture(10, true, Category = "Heavy")]
[TestFixture(10, false, Category = "Heavy")]
[Platform("Linux")]
internal sealed class PartitionTests(int seconds, bool isSilent)
{
    private const int Victim = 0;

    // Of reads that begin in the first second.
    private const double MostFailed = 0.005;

    private static readonly int[] _all = [.. Enumerable.Range(0, ClusterProcesses.Count)];
    private static readonly int[] _others = [.. _all.Where(node => node != Victim)];

    // By node: the way to the database, and the one by which the others reach it.
    private readonly List<TcpProxy> _toDatabase = [];
    private readonly List<TcpProxy> _toNode = [];
    private ClusterProcesses _nodes = null!;
    private ClusterWork _work = null!;

    [OneTimeSetUp]
    public async Task StartAsync()
    {
        string database = new Npgsql.NpgsqlConnectionStringBuilder(await PostgresFixture.Server.CreateDatabaseAsync()).Database!;
        foreach (int _ in _all)
        {
            _toDatabase.Add(new TcpProxy(PostgresFixture.Server.Socket));
            _toNode.Add(new TcpProxy());
        }

        string rest = $"Username=postgres;Database={database};SSL Mode=Disable;Maximum Pool Size=20";
        _nodes = new ClusterProcesses(node =>
        [
            "--cluster", string.Create(CultureInfo.InvariantCulture, $"Host=127.0.0.1;Port={_toDatabase[node].Port};{rest}"),
            "--announce", string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{_toNode[node].Port}"),
        ]);
        await _nodes.StartAsync((node, process) => _toNode[node].Target = new IPEndPoint(IPAddress.Loopback, process.Port));
        _work = new ClusterWork();
    }

    [SetUp]
    public async Task BeginAsync()
    {
        foreach (int node in _all)
            _work.Begin(node, _nodes[node].Port);
        await _work.PassAsync(_work.Writes, 20, _all);
        await _work.PassAsync(_work.Reads, 20, _all);
    }

    [OneTimeTearDown]
    public async Task StopAsync()
    {
        if (_nodes is not null)
            await _nodes.DisposeAsync();
        foreach (TcpProxy proxy in _toDatabase.Concat(_toNode))
            await proxy.DisposeAsync();
        _toDatabase.Clear();
        _toNode.Clear();
    }

    [Test]
    public Task A_node_that_loses_the_database_reads_on_and_so_do_the_others() =>
        PartAsync(_all, () => Part(_toDatabase[Victim], static _ => true), [_toDatabase[Victim]]);

    [Test]
    public Task A_node_that_loses_the_other_nodes_is_not_needed_by_them() => PartAsync(
        _others,
        () =>
        {
            Part(_toNode[Victim], static _ => true);
            foreach (int other in _others)
                Part(_toNode[other], port => ProcessSockets.Has(_nodes[Victim].Id, port));
        },
        _toNode);

    [Test]
    [Category("Heavy")]
    public Task Nodes_that_lose_the_database_read_on() => PartAsync(
        _all,
        () =>
        {
            foreach (TcpProxy proxy in _toDatabase)
                Part(proxy, static _ => true);
        },
        _toDatabase);

    private void Part(TcpProxy proxy, Predicate<int> isParted)
    {
        if (isSilent)
            proxy.Hold(isParted);
        else
            proxy.Cut(isParted);
    }

    private async Task PartAsync(int[] readers, Action part, IEnumerable<TcpProxy> parted)
    {
        long begin = TimeProvider.System.GetTimestamp();
        part();
        await Polling.UntilAsync(
            () => Task.FromResult(readers.All(node => _work.Reads.Any(read => read.Node == node && Since(read) >= seconds))),
            "nodes read on to the end");
        long end = TimeProvider.System.GetTimestamp();
        foreach (TcpProxy proxy in parted)
            proxy.Heal();

        // All nodes take writes and read again, the one that was cut off, too.
        await _nodes.UntilCaughtUpAsync();
        await _work.PassAsync(_work.Writes, 20, _all);
        await _work.PassAsync(_work.Reads, 20, _all);
        await _work.EndAsync();
        foreach (int node in _all)
            await _work.CheckAsync(node, _nodes[node].Port, "after the partition");
        await _nodes.CheckReplicasAsync();
        ClusterCall[] first = [.. Within(0, 1)], later = [.. Within(1, double.MaxValue)];
        Report(first, later, begin, end);
        Assert.That(_all.Select(node => _nodes[node].IsRunning), Is.All.True, "processes");
        Assert.That(first.Count(read => read.Error is not null), Is.AtMost(MostFailed * first.Length), "reads of the first second failed");
        Assert.That(later.Select(read => read.Error), Is.All.Null, "reads after the first second");

        double Since(ClusterCall call) => TimeProvider.System.GetElapsedTime(begin, call.Began).TotalSeconds;

        IEnumerable<ClusterCall> Within(double from, double to) =>
            _work.Reads.Where(read => readers.Contains(read.Node) && Since(read) >= from && Since(read) < to);
    }

    private void Report(ClusterCall[] first, ClusterCall[] later, long begin, long end)
    {
        ClusterCall[] writes = [.. _work.Writes.Where(write => write.Ended > begin && write.Began < end)];
        var kinds = writes.Where(write => write.Error is not null).GroupBy(write => write.Error!.Split(' ')[0])
            .Select(kind => $"{kind.Key} {kind.Count()}");
        TestContext.Out.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"reads that failed: {Failed(first)} of {first.Length} in the first second, {Failed(later)} of {later.Length} later; "
            + $"p99 {P99(first)}, {P99(later)} ms, longest {Longest(first)}, {Longest(later)} ms; "
            + $"at the node itself {Failed(OfVictim())} of {OfVictim().Length}; "
            + $"writes meanwhile: {writes.Length - Failed(writes)} of {writes.Length} acknowledged {string.Join(' ', kinds)}; "
            + $"{_work.Writes.Count - Failed(_work.Writes)} in all"));

        ClusterCall[] OfVictim() => [.. _work.Reads.Where(read => read.Node == Victim && read.Ended > begin && read.Began < end)];
    }

    private static int Failed(IEnumerable<ClusterCall> calls) => calls.Count(call => call.Error is not null);

    private static double P99(ClusterCall[] calls) => Math.Round(
        calls.Select(call => call.Took.TotalMilliseconds).Order().ElementAtOrDefault((int)(0.99 * calls.Length)));

    private static double Longest(ClusterCall[] calls) => Math.Round(calls.Max(call => call.Took.TotalMilliseconds));
}
