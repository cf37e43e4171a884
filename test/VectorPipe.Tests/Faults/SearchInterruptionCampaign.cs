using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults;

/// <summary>A search is cancelled, disposed of, or hit by an exception at every step, with reads in flight.</summary>
[TestFixture]
internal sealed class SearchInterruptionCampaign
{
    private const int Seed = 77;
    private const int Queries = 12;
    private TestIndex _test = null!;

    /// <summary>Where in the device a step is counted.</summary>
    public enum Step
    {
        Enqueue,
        Submit,
        Reap,
    }

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 400, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Cancellation_at_any_step_ends_the_query_or_comes_too_late([Values] SearchMode mode, [Values] Step step)
    {
        int cancelled = 0;
        int cases = ForEveryStep(mode, step, (under, query, k, name) =>
        {
            using CancellationTokenSource source = new();
            Exception? error = under.Search(name, query, mode, At(step, k, source.Cancel), source.Token);
            if (error is not null and not OperationCanceledException)
                Assert.Fail($"{name}: expected a cancellation, found {error}");
            cancelled += error is null ? 0 : 1;
        });
        Assert.That(cancelled, Is.GreaterThan(cases / 3));
    }

    [Test]
    public void An_exception_at_any_step_is_told_and_the_session_goes_on([Values] SearchMode mode, [Values] Step step, [Values] bool isTyped)
    {
        Exception thrown = isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");
        ForEveryStep(mode, step, (under, query, k, name) =>
        {
            Exception? error = null;
            try
            {
                error = under.Search(name, query, mode, At(step, k, () => throw thrown));
            }
            catch (InvalidOperationException e)
            {
                error = e;
            }

            if (error is not null && !error.Message.Contains("made to fail", StringComparison.Ordinal))
                Assert.Fail($"{name}: expected the exception of the device, found {error}");
        });
    }

    [Test]
    public void Refusals_at_any_step_are_tried_again([Values] SearchMode mode) => ForEveryStep(mode, Step.Enqueue, (under, query, k, name) =>
    {
        if (under.Search(name, query, mode, new FaultPlan { OnEnqueue = n => n < k || n > k + 3 }) is { } error)
            Assert.Fail($"{name}: {error}");
    });

    [Test]
    public void Disposal_after_any_turn_answers_the_queries_and_gives_everything_back([Values] SearchMode mode)
    {
        int cases = 0;
        int ended = 0;
        Watchdog.Run($"disposal, {mode}, seed {Seed}", () =>
        {
            for (int query = 0; query < Queries / 2; query++)
            {
                bool isEnded = false;
                for (int turns = 0; !isEnded; turns++, cases++)
                    isEnded = DisposeAfter(query, mode, turns);
                ended++;
            }
        });
        Assert.That(ended, Is.EqualTo(Queries / 2));
        Assert.That(cases, Is.GreaterThan(Queries));
    }

    [Test]
    public void A_batch_that_fails_leaves_nothing_for_the_next_batch([Range(0, 14)] int k)
    {
        // Rows of a failed batch once went on and wrote their answers into the rows of the next.
        using SearchUnderTest under = new(_test, 8, Seed);
        byte[] queries = [.. Enumerable.Range(0, 8).SelectMany(q => under.Query(q).ToArray())];
        var hits = new SearchHit[8 * SearchUnderTest.K];
        Watchdog.Run($"batch, reap {k}", () =>
        {
            under.Reopen();
            under.Device.Plan = At(Step.Reap, k, static () => throw new InvalidOperationException("made to fail"));
            Assert.That(() => under.Session.SearchMany<byte>(queries, SearchUnderTest.K, hits, [], under.Options(SearchMode.Beam)), Throws.InvalidOperationException);
            under.Device.Plan = new FaultPlan();
            hits.AsSpan().Clear();
            under.Session.SearchMany<byte>(queries.AsSpan(_test.RowBytes), SearchUnderTest.K, hits, [], under.Options(SearchMode.Beam));
            for (int row = 0; row < 7; row++)
                SearchUnderTest.AssertEqual($"row {row}", under.Answer(row + 1, SearchMode.Beam), hits.AsSpan(row * SearchUnderTest.K, SearchUnderTest.K));
            PipelineHealth.AssertIdle(under.Session.Reads, "batch");
            under.Session.Dispose();
        });
    }

    [Test]
    public void A_stranger_is_turned_away_and_the_session_goes_on()
    {
        using SearchUnderTest under = new(_test, 2, Seed);
        under.Answer(0, SearchMode.Beam);
        Exception? stranger = null;
        Thread thread = new(() =>
        {
            try
            {
                under.Session.Search(under.Query(1).Span, SearchUnderTest.K, new SearchHit[SearchUnderTest.K]);
            }
            catch (InvalidOperationException e)
            {
                stranger = e;
            }
        });
        thread.Start();
        Assert.That(thread.Join(TimeSpan.FromSeconds(60)), Is.True, "The stranger hangs.");
        Assert.That(stranger?.Message, Does.Contain("thread"));
        under.AssertHealthy("after the stranger", 0, SearchMode.Beam);
        under.AssertHealthy("after the stranger", 1, SearchMode.Pipelined);
    }

    private bool DisposeAfter(int query, SearchMode mode, int turns)
    {
        using SearchUnderTest under = new(_test, Queries, Seed + turns);
        SearchHit[] expected = under.Answer(query, mode);
        SearchRequestProbe request = new();
        using (SearchRunner runner = new(under.Session.Index, 2))
        {
            request.Ask(under.Query(query).Span, SearchUnderTest.K, under.Options(mode).ListSize!.Value, under.Options(mode), 0, default);
            runner.Accept(request);
            for (int turn = 0; turn < turns && runner.Unfinished > 0; turn++)
                runner.Turn();
        }

        string name = $"query {query}, {turns} turns, {mode}";
        if (request.Completions != 1)
            Assert.Fail($"{name}: expected one completion, found {request.Completions}");
        if (request.Error is null)
            SearchUnderTest.AssertEqual(name, expected, request.Hits.AsSpan(0, request.Statistics.Hits));
        else if (request.Error is not ObjectDisposedException)
            Assert.Fail($"{name}: {request.Error}");
        under.AssertHealthy(name, query, mode);
        return request.Error is null;
    }

    private static FaultPlan At(Step step, int k, Action action)
    {
        return new FaultPlan
        {
            OnEnqueue = n =>
            {
                Do(Step.Enqueue, n);
                return true;
            },
            OnSubmit = n => Do(Step.Submit, n),
            OnReap = n => Do(Step.Reap, n),
        };

        void Do(Step here, long n)
        {
            if (here == step && n == k)
                action();
        }
    }

    private int ForEveryStep(SearchMode mode, Step step, Action<SearchUnderTest, int, int, string> run)
    {
        int cases = 0;
        string name = "";
        SearchUnderTest? shared = null;
        Watchdog.Run($"{TestContext.CurrentContext.Test.Name}, seed {Seed}", () =>
        {
            using SearchUnderTest under = shared = new SearchUnderTest(_test, Queries, Seed);
            for (int query = 0; query < Queries; query++)
            {
                FaultPlan plan = new();
                under.Answer(query, mode);
                under.Search("count", query, mode, plan);
                long steps = step switch { Step.Enqueue => plan.Reads, Step.Submit => plan.Submits, _ => plan.Reaps };
                for (int k = 0; k < steps; k++, cases++)
                {
                    name = $"query {query}, {step} {k}, {mode}, seed {Seed}";
                    run(under, query, k, name);
                    under.AssertHealthy(name, query, mode);
                }
            }
        }, () => $"{name}: {shared?.Session.Reads.DescribeInFlight()}");
        TestContext.Out.WriteLine($"{cases} cases");
        Assert.That(cases, Is.GreaterThanOrEqualTo(Queries * 2));
        return cases;
    }
}
