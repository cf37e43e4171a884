using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Nodes are drained, stopped and started again, one after another, as for a new program.</summary>
/// <param name="restarts">Times that a node is started again, beginning with the first.</param>
[TestFixture(1)]
[TestFixture(ClusterProcesses.Count, Category = "Heavy")]
[TestFixture(20 * ClusterProcesses.Count, Category = "Heavy")]
internal sealed class RollingUpgradeTests(int restarts)
{
    private ClusterProcesses _nodes = null!;

    [SetUp]
    public async Task StartAsync()
    {
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        _nodes = new ClusterProcesses(_ => ["--cluster", connection]);
        await _nodes.StartAsync();
    }

    [TearDown]
    public async Task StopAsync() => await _nodes.DisposeAsync();

    [Test]
    public async Task Other_nodes_read_and_write_as_before_while_one_is_started_again()
    {
        var work = new ClusterWork();
        for (int restart = 0; restart < restarts; restart++)
        {
            int node = restart % ClusterProcesses.Count;
            int[] others = [.. Enumerable.Range(0, ClusterProcesses.Count).Where(other => other != node)];
            foreach (int other in others)
                work.Begin(other, _nodes[other].Port);
            await work.PassAsync(work.Writes, 50, others);
            Assert.That(await _nodes.DrainNodeAsync(node), Is.Zero, "the exit code");
            await work.PassAsync(work.Writes, 50, others);
            await _nodes.StartNodeAsync(node);
            await _nodes.UntilCaughtUpAsync();
            await work.PassAsync(work.Writes, 50, others);
            await work.EndAsync();
            HangBound.Current?.Restart();
        }

        for (int node = 0; node < ClusterProcesses.Count; node++)
            await work.CheckAsync(node, _nodes[node].Port, "after the restarts");
        await _nodes.CheckReplicasAsync();
        ClusterCall slowest = work.Writes.MaxBy(call => call.Took)!;
        TestContext.Out.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{restarts} restarts, {work.Reads.Count} reads, {work.Writes.Count} writes; "
            + $"the slowest read {work.Reads.Max(call => call.Took).TotalMilliseconds:F0} ms, "
            + $"the slowest write {slowest.Took.TotalMilliseconds:F0} ms"));
        Assert.That(work.Reads.Select(call => call.Error), Is.All.Null, "reads at other nodes");
        Assert.That(work.Writes.Select(call => call.Error), Is.All.Null, "writes at other nodes");
    }
}
