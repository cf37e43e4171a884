using NUnit.Framework;
using VectorPipe.Searching.Serving;

namespace VectorPipe.Tests.Faults;

/// <summary>Runs requests of any kind into faults, case by case, under a watchdog.</summary>
internal static class Campaign
{
    /// <summary>Runs a case for every read of every request.</summary>
    /// <param name="open">Opens the session under test.</param>
    /// <param name="requests">The requests.</param>
    /// <param name="run">Runs the case of one read; receives the session, the request, the read's number and the case's name.</param>
    /// <param name="oneIn">One read in so many has a case; each request begins with another one.</param>
    /// <returns>The number of cases.</returns>
    public static int ForEveryRead<T>(
        Func<SessionUnderTest<T>> open, IEnumerable<T> requests, Action<SessionUnderTest<T>, T, int, string> run, int oneIn = 1)
        where T : notnull =>
        ForEach(open, requests, "read", plan => plan.Reads, run, oneIn);

    /// <summary>Runs a case for every step of a kind of every request, and checks that the session can go on.</summary>
    public static int ForEveryStep<T>(
        FaultStep step, Func<SessionUnderTest<T>> open, IEnumerable<T> requests, Action<SessionUnderTest<T>, T, int, string> run)
        where T : notnull => ForEach(open, requests, step.ToString(), plan => plan.Steps(step), (under, request, k, name) =>
        {
            run(under, request, k, name);
            under.AssertHealthy(name, request);
        });

    /// <summary>Cancels every request at every step of a kind: it ends with its answer or its cancellation.</summary>
    /// <returns>The number of cases, and of those that the cancellation ended.</returns>
    public static (int Cases, int Cancelled) CancelAtEveryStep<T>(FaultStep step, Func<SessionUnderTest<T>> open, IEnumerable<T> requests)
        where T : notnull
    {
        int cancelled = 0;
        int cases = ForEveryStep(step, open, requests, (under, request, k, name) =>
        {
            using CancellationTokenSource source = new();
            Exception? error = under.Run(name, request, FaultPlan.At(step, k, source.Cancel), source.Token);
            if (error is not null and not OperationCanceledException)
                Assert.Fail($"{name}: expected a cancellation, found {error}");
            cancelled += error is null ? 0 : 1;
        });
        return (cases, cancelled);
    }

    /// <summary>Lets the device throw at every step of a kind: the caller gets the answer or the exception.</summary>
    public static int ThrowAtEveryStep<T>(FaultStep step, Exception thrown, Func<SessionUnderTest<T>> open, IEnumerable<T> requests)
        where T : notnull => ForEveryStep(step, open, requests, (under, request, k, name) =>
        {
            Exception? error = null;
            try
            {
                error = under.Run(name, request, FaultPlan.At(step, k, () => throw thrown));
            }
            catch (InvalidOperationException e)
            {
                error = e;
            }

            if (error is not null && !error.Message.Contains(thrown.Message, StringComparison.Ordinal))
                Assert.Fail($"{name}: expected the exception of the device, found {error}");
        });

    /// <summary>Disposes of a runner after every turn of every request, or one in so many: each part ends once.</summary>
    public static int DisposeAfterEveryTurn<T>(Func<int, SessionUnderTest<T>> open, IEnumerable<T> requests, int oneIn = 1)
        where T : notnull
    {
        int cases = 0;
        string name = "";
        Watchdog.Run("disposal", () =>
        {
            foreach ((int number, T request) in requests.Index())
            {
                bool isAnswered = false;
                for (int turns = number % oneIn; !isAnswered; turns += oneIn, cases++)
                {
                    name = $"{request}, disposal after {turns} turns";
                    using SessionUnderTest<T> under = open(turns);
                    isAnswered = DisposeAfter(name, under, request, turns);
                    under.AssertHealthy(name, request);
                }
            }
        }, () => name);
        TestContext.Out.WriteLine($"{cases} cases");
        return cases;
    }

    /// <summary>Runs one request for each seed, under the faults of the seed.</summary>
    public static ScheduleTally RunSchedules<T>(
        int schedules, int firstSeed, Func<int, FaultRates> rates, Func<SessionUnderTest<T>> open, IReadOnlyList<T> requests)
        where T : notnull
    {
        ScheduleTally tally = new();
        SessionUnderTest<T>? shared = null;
        string name = "";
        Watchdog.Run($"schedules from seed {firstSeed}", () =>
        {
            using SessionUnderTest<T> under = shared = open();
            for (int seed = firstSeed; seed < firstSeed + schedules; seed++)
            {
                T request = requests[seed % requests.Count];
                name = $"schedule seed {seed}, {request}";
                Exception? error = under.Run(name, request, FaultPlan.Random(seed, rates(seed)));
                tally.Count(error);
                under.AssertIdle(name);
                if (seed % 16 == 0)
                    under.AssertHealthy(name, request);
            }

            tally.Strays = under.Session.Reads.StrayCompletions;
        }, () => $"{name}: {shared?.Session.Reads.DescribeInFlight()}", () => name);
        TestContext.Out.WriteLine($"{schedules} schedules from seed {firstSeed}: {tally}");
        return tally;
    }

    private static int ForEach<T>(
        Func<SessionUnderTest<T>> open, IEnumerable<T> requests, string what, Func<FaultPlan, long> count, Action<SessionUnderTest<T>, T,
        int, string> run, int oneIn = 1)
        where T : notnull
    {
        int cases = 0;
        string name = "";
        SessionUnderTest<T>? shared = null;
        Watchdog.Run($"every {what}", () =>
        {
            using SessionUnderTest<T> under = shared = open();
            foreach ((int number, T request) in requests.Index())
            {
                long steps = count(under.Measure(request));
                for (int k = number % oneIn; k < steps; k += oneIn, cases++)
                {
                    name = $"{request}, {what} {k}";
                    run(under, request, k, name);
                    under.AssertIdle(name);
                }

                under.AssertHealthy(name, request);
            }
        }, () => $"{name}: {shared?.Session.Reads.DescribeInFlight()}", () => name);
        TestContext.Out.WriteLine($"{cases} cases");
        return cases;
    }

    private static bool DisposeAfter<T>(string name, SessionUnderTest<T> under, T request, int turns)
        where T : notnull
    {
        IReadOnlyList<IRequestProbe> probes = under.Probe(request);
        using (SearchRunner runner = new(under.Session.Index, 2))
        {
            foreach (IRequestProbe probe in probes)
                runner.Accept(probe.Request);
            for (int turn = 0; turn < turns && runner.Unfinished > 0; turn++)
                runner.Turn();
        }

        foreach (IRequestProbe probe in probes)
        {
            if (probe.Completions != 1)
                Assert.Fail($"{name}: expected one completion, found {probe.Completions}");
            if (probe.Error is null)
                probe.AssertAnswer(name);
            else if (probe.Error is not ObjectDisposedException)
                Assert.Fail($"{name}: {probe.Error}");
        }

        return probes.All(probe => probe.Error is null);
    }
}
