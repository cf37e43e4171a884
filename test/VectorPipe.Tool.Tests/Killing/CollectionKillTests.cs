using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>A process that writes to a collection, which takes writes in all the time, is killed at random moments.</summary>
/// <param name="hasCheckpoints">Whether checkpoints take them in, with a rebuild now and then; else rebuilds.</param>
/// <param name="rounds">Kills.</param>
[TestFixture(false, 1)]
[TestFixture(true, 1)]
[TestFixture(false, 3, Category = "Heavy")]
[TestFixture(false, 3000, Category = "Heavy")]
[TestFixture(true, 3, Category = "Heavy")]
[TestFixture(true, 3000, Category = "Heavy")]
public sealed class CollectionKillTests(bool hasCheckpoints, int rounds)
{
    [Test]
    public async Task Acknowledged_writes_survive_every_kill_and_no_batch_is_torn()
    {
        int seed = TestContext.Parameters.Get("seed", Environment.TickCount);
        TestContext.Out.WriteLine(
            $"seed {seed}; again: dotnet test --filter FullyQualifiedName~{TestContext.CurrentContext.Test.ClassName} "
            + string.Create(CultureInfo.InvariantCulture, $"-- 'TestRunParameters.Parameter(name=\"seed\", value=\"{seed}\")'"));
        using var collection = new KilledCollection(seed, hasCheckpoints);
        for (int round = 0; round < rounds; round++)
        {
            string context = collection.Kill(round);
            await collection.CheckAsync($"round {round}: {context}");
            HangBound.Current?.Restart();
        }

        TestContext.Out.WriteLine(
            $"{rounds} kills, {collection.Acknowledged} operations acknowledged, {collection.Unacknowledged} more carried out, "
            + $"{collection.Checkpoints} checkpoints, {collection.Rebuilds} rebuilds");
        Assert.That(collection.Acknowledged, Is.GreaterThan(10 * rounds), "the writers write");
        Assert.That(collection.Rebuilds, Is.GreaterThanOrEqualTo(hasCheckpoints ? 1 : rounds / 3), "the collection is rebuilt");
        Assert.That(collection.Checkpoints, hasCheckpoints ? Is.GreaterThanOrEqualTo(rounds) : Is.Zero, "checkpoints take writes in");
    }
}
