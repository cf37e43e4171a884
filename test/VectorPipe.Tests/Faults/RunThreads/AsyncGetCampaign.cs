using NUnit.Framework;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Gets;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>Look-ups by a run thread under seeded faults end with an answer or a typed error.</summary>
[TestFixture(GetKind.Graph)]
[TestFixture(GetKind.Rounded)]
[TestFixture(GetKind.Lists)]
internal sealed class AsyncGetCampaign
{
    private const int ManySeeds = 8000;
    private const int LookUps = 40;
    private readonly GetKind _kind;
    private TestIndex _test = null!;

    public AsyncGetCampaign(GetKind kind) => _kind = kind;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build(_kind);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    /// <summary>Runs every seed, or the one that a failure message names.</summary>
    [TestCase(20)]
    [TestCase(75, Category = "Heavy")]
    public void Every_look_up_ends_and_all_resources_come_back(int seeds)
    {
        int seed = TestContext.Parameters.Get("seed", 0);
        Run(Math.Max(1, seed), seed > 0 ? 1 : seeds);
    }

    [Test]
    [Category("Heavy")]
    public void Every_look_up_of_many_seeds_ends_and_all_resources_come_back() => Run(100_000, ManySeeds);

    private void Run(int firstSeed, int seeds)
    {
        int descriptors = PipelineHealth.OpenDescriptors(_test.Directory);
        ScheduleTally tally = new();
        for (int seed = firstSeed; seed < firstSeed + seeds; seed++)
        {
            AsyncGets? shared = null;
            string replay =
                $"seed {seed}, again: dotnet test --filter "
                + $"FullyQualifiedName~{nameof(AsyncGetCampaign)}.{nameof(Every_look_up_ends_and_all_resources_come_back)} "
                + $"-- 'TestRunParameters.Parameter(name=\"seed\", value=\"{seed}\")'";
            int mine = seed;
            Watchdog.Run(replay, () => RunSeed(mine, made => shared = made), () => shared?.Describe() ?? "not open");
            tally.Add(shared!.Answers, shared.Failures, shared.Strays);
        }

        TestContext.Out.WriteLine($"{seeds} seeds from {firstSeed}, {LookUps} look-ups each: {tally}");
        Assert.That(tally.Answers + tally.Errors, Is.GreaterThanOrEqualTo(seeds * (LookUps + (LookUps / 4))), "look-ups that ended");
        if (seeds > 1)
        {
            Assert.That(tally.Answers, Is.GreaterThan(seeds * LookUps / 4));
            Assert.That(tally.Errors, Is.GreaterThan(seeds * LookUps / 10));
        }

        Assert.That(PipelineHealth.OpenDescriptors(_test.Directory), Is.EqualTo(descriptors));
    }

    private void RunSeed(int seed, Action<AsyncGets> made)
    {
        Random random = new(seed);
        FaultRates rates = Rates(seed);
        using AsyncGets gets = new(_test, seed, TimeSpan.FromMilliseconds(rates.Lost > 0 ? 30 : 10_000));
        made(gets);
        using ManualResetEventSlim posted = new();
        using CancellationTokenSource cancellation = new();
        int cancelAt = random.Next(3) == 0 ? random.Next(60) : -1;
        FaultPlan plan = FaultPlan.Random(seed, rates);

        // The run thread opens its queue after all look-ups are posted, so that its work follows from the seed.
        gets.Device.Plan = new FaultPlan
        {
            OnOpen = posted.Wait,
            OnRead = plan.OnRead,
            OnEnqueue = plan.OnEnqueue,
            OnSubmit = plan.OnSubmit,
            OnReap = n =>
            {
                if (n == cancelAt)
                    cancellation.Cancel();
                plan.OnReap(n);
            },
            Choose = plan.Choose,
        };
        gets.Post(LookUps);
        gets.Post(LookUps / 4, cancellation.Token);
        posted.Set();
        if (seed % 7 == 0)
            gets.Index.Dispose();
        gets.AwaitAll();
        if (seed % 7 != 0)
            gets.AssertWhole();
    }

    /// <summary>A device with the faults of a seed.</summary>
    /// <remarks>
    /// It throws, typed or not, at one step or at all, or it loses reads; either way it also has transient and permanent errors.
    /// </remarks>
    private static FaultRates Rates(int seed) => (seed % 5) switch
    {
        0 => FaultRates.Mixture(seed / 5),
        1 => new FaultRates { ThrowAtReap = 0.05, Untyped = 0.5, Delay = 0.2, Reorders = true },
        2 =>
        new FaultRates
        {
            ThrowAtEnqueue =
        0.02,
            ThrowAtSubmit = 0.05,
            ThrowAtReap = 0.02,
            Untyped = 0.5,
            Transient = 0.1,
            Short = 0.1,
            Delay = 0.2,
            Duplicate = 0.05
        },
        3 => new FaultRates { Lost = 0.02, ThrowAtReap = 0.005, Untyped = 0.5, Delay = 0.1, Failure = 0.02, Reorders = true },
        _ =>
        new FaultRates
        {
            ThrowAtEnqueue =
        0.05,
            Untyped = 1,
            Refusal = 0.05,
            Corrupt = 0.02,
            Zero = 0.02,
            Failure = 0.02,
            Duplicate = 0.1,
            Reorders = true
        },
    };
}
