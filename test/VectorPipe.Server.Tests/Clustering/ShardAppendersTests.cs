using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;
using VectorPipe.Server.Clustering;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Appenders of many shards, which come and go.</summary>
internal sealed class ShardAppendersTests
{
    [Test]
    public async Task One_whose_shard_is_gone_is_let_go_and_the_next_one_is_not_taken_for_it()
    {
        // One log for all shards: it tells batches apart by who wrote them.
        var log = new FaultyLog(seed: 1, faults: 0);
        await using var appenders = new ShardAppenders(log, static (_, _) => { }, HangBound.Patience, TimeProvider.System);
        Assert.That((await AppendAsync(appenders, shard: 1))?.Position, Is.EqualTo(1));
        Assert.That((await AppendAsync(appenders, shard: 2))?.Position, Is.EqualTo(2));
        appenders.Keep(MapOf(1, 2));
        Assert.That(appenders.Count, Is.EqualTo(2));
        appenders.Keep(MapOf(2));
        Assert.That(appenders.Count, Is.EqualTo(1));

        Assert.That((await AppendAsync(appenders, shard: 1))?.Position, Is.EqualTo(3), "another batch than the first one");
        Assert.That((await AppendAsync(appenders, shard: 2))?.Position, Is.EqualTo(4));
        appenders.Keep(MapOf());
        Assert.That(appenders.Count, Is.Zero);
    }

    [Test]
    public async Task A_closed_one_refuses()
    {
        var log = new FaultyLog(seed: 1, faults: 0);
        var appenders = new ShardAppenders(log, static (_, _) => { }, HangBound.Patience, TimeProvider.System);
        await AppendAsync(appenders, shard: 1);
        await appenders.DisposeAsync();
        await Assert.ThrowsAsync<LogUnavailableException>(() => AppendAsync(appenders, shard: 1));
    }

    private static Task<WrittenRecord?> AppendAsync(ShardAppenders appenders, long shard) =>
        appenders.AppendAsync(shard, new LogRecord(RecordKind.Remove, "e"u8.ToArray()), CancellationToken.None);

    private static ClusterMap MapOf(params long[] shards) =>
        new(1, [], [.. shards.Select(shard => new ClusterSet(
            shard, $"{shard}", default, 1, [new ClusterShard(shard, 0, ClusterSet.Hashes - 1, [])]))]);
}
