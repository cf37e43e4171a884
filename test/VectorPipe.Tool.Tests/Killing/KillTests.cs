using System.Globalization;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>A build that is killed at any moment leaves an index in its directory, or none.</summary>
/// <param name="points">Vectors of an index. Builds calibrate 1,000 and more, which takes most of their time and writes nothing.</param>
/// <param name="rounds">Kills of a test.</param>
[TestFixture(900, 3)]
[TestFixture(900, 5, Category = "Heavy")]
[TestFixture(2000, 100, Category = "Heavy")]
public sealed class KillTests(int points, int rounds)
{
    private KilledDirectory _directory = null!;
    private int _landed;

    [OneTimeSetUp]
    public async Task BuildBothIndexes() => _directory = await KilledDirectory.CreateAsync(points);

    [OneTimeTearDown]
    public void RemoveIndexes() => _directory?.Dispose();

    [Test]
    public Task A_killed_first_build_leaves_no_index_or_the_whole_index() => RepeatAsync(async (random, round) =>
    {
        _directory.Empty();
        string context = Kill(Choose(Moments(1), random, round), random, _directory.BuildArguments());
        if (_directory.HasManifest())
            _directory.AssertNew(context);
        else
            await _directory.AssertNoneAsync(context);
    });

    [Test]
    public Task A_killed_rebuild_leaves_the_old_index_or_the_new_one() => RepeatAsync((random, round) =>
    {
        _directory.HoldOld();
        string context = Kill(Choose(Moments(2), random, round), random, _directory.BuildArguments());
        _directory.AssertOldOrNew(context);
        return Task.CompletedTask;
    });

    [Test]
    public Task A_kill_during_the_clean_up_after_a_kill_loses_no_index() => RepeatAsync((random, _) =>
    {
        const int Leftovers = 120;
        _directory.HoldOld();
        string[] leftovers = [.. Enumerable.Range(2, Leftovers).Select(_directory.AddLeftover)];
        KillMoment moment = KillMoment.Vanishes(leftovers[random.Next(Leftovers)]);

        string context = Kill(moment, random, _directory.BuildArguments());
        TestContext.Out.WriteLine($"{_directory.FileNames().Length} files after the kill");
        _directory.AssertOldOrNew(context);
        return Task.CompletedTask;
    });

    [Test]
    public async Task The_next_build_after_a_kill_succeeds_and_leaves_nothing_else()
    {
        _directory.HoldOld();
        string context = Kill(
            Moments(2).Single(moment => moment.Name.StartsWith("nodes", StringComparison.Ordinal)),
            new Random(1), _directory.BuildArguments());
        await ToolRun.SucceedAsync(_directory.BuildArguments());
        _directory.AssertNew(context, isAlone: true);
    }

    private IReadOnlyList<KillMoment> Moments(int generation) =>
        KillMoment.OfBuild(_directory.Index, generation, calibrates: points >= 1000);

    private async Task RepeatAsync(Func<Random, int, Task> round)
    {
        int seed = TestContext.Parameters.Get("seed", Environment.TickCount);
        TestContext.Out.WriteLine(
            $"seed {seed}; again: dotnet test --filter "
            + $"FullyQualifiedName~{TestContext.CurrentContext.Test.ClassName}.{TestContext.CurrentContext.Test.MethodName} "
            + string.Create(CultureInfo.InvariantCulture, $"-- 'TestRunParameters.Parameter(name=\"seed\", value=\"{seed}\")'"));
        var random = new Random(seed);
        _landed = 0;

        // Where all processors are busy, a process may end before the kill gets its turn: then there are more rounds.
        for (int i = 0; i < rounds || (_landed <= rounds / 2 && i < 3 * rounds); i++)
            await round(random, i);
        TestContext.Out.WriteLine($"{_landed} kills of {rounds} rounds or more found the process alive");
        Assert.That(_landed, Is.GreaterThan(rounds / 2), "most kills land");
    }

    /// <summary>A moment from the round's share of all, so that a few rounds spread over a whole build.</summary>
    private KillMoment Choose(IReadOnlyList<KillMoment> moments, Random random, int round)
    {
        int shares = Math.Min(rounds, 5), share = round % shares;
        return moments[random.Next(share * moments.Count / shares, (share + 1) * moments.Count / shares)];
    }

    private string Kill(KillMoment moment, Random random, string[] arguments)
    {
        double delayMs = random.NextDouble() * moment.MaxDelayMs;
        using ToolProcess process = ToolProcess.Start(arguments);
        bool landed = process.KillAt(moment, delayMs);
        _landed += landed ? 1 : 0;
        string context = string.Create(
            CultureInfo.InvariantCulture,
            $"{arguments[0]} killed {delayMs:F3} ms after: {moment.Name}{(landed ? "" : " (it had ended)")}; left: "
            + $"{string.Join(' ', _directory.FileNames().Take(12))}");
        TestContext.Out.WriteLine(context);
        return context;
    }
}
