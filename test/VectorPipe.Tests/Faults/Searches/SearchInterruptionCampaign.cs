using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>A search is cancelled, disposed of, or hit by an exception at every step, with reads in flight.</summary>
[TestFixture(SearchPolicy.List, 400, 16, CodeKind.Opq, Category = "Heavy")]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Pq)]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Opq, Category = "Heavy")]
internal sealed class SearchInterruptionCampaign
{
    private const int Seed = 77;
    private const int Queries = 12;
    private readonly SearchPolicy _policy;
    private readonly int _count;
    private readonly int _dimension;
    private readonly CodeKind _code;
    private TestIndex _test = null!;

    public SearchInterruptionCampaign(SearchPolicy policy, int count, int dimension, CodeKind code) =>
        (_policy, _count, _dimension, _code) = (policy, count, dimension, code);

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: _count, dimension: _dimension, code: _code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Cancellation_at_any_step_ends_the_query_or_is_too_late([Values] FaultStep step)
    {
        foreach (SearchMode mode in Modes)
        {
            (int cases, int cancelled) = Campaign.CancelAtEveryStep(step, Open, Searches(mode));
            Assert.That(cases, Is.GreaterThanOrEqualTo(Queries * 2), $"{mode}");
            Assert.That(cancelled, Is.GreaterThan(cases / 3), $"{mode}");
        }
    }

    [Test]
    [Spread]
    public void The_caller_receives_an_exception_of_any_step_and_the_session_goes_on([Values] FaultStep step, [Values] bool isTyped)
    {
        Exception thrown = isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");
        foreach (SearchMode mode in Modes)
            Assert.That(Campaign.ThrowAtEveryStep(step, thrown, Open, Searches(mode)), Is.GreaterThanOrEqualTo(Queries * 2), $"{mode}");
    }

    [Test]
    public void Refusals_at_any_step_are_tried_again() =>
        Campaign.ForEveryStep(FaultStep.Enqueue, Open, Modes.SelectMany(Searches), (under, search, k, name) =>
    {
        if (under.Run(name, search, new FaultPlan { OnEnqueue = n => n < k || n > k + 3 }) is { } error)
            Assert.Fail($"{name}: {error}");
    });

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void Disposal_after_any_turn_answers_the_queries_and_returns_all_resources(int oneIn)
    {
        foreach (SearchMode mode in Modes)
        {
            int cases = Campaign.DisposeAfterEveryTurn(
                turns => new SearchUnderTest(_test, Queries, Seed + turns) { Policy = _policy }, Searches(mode).Take(Queries / 2), oneIn);
            Assert.That(cases, Is.GreaterThan(Queries / oneIn), $"{mode}");
        }
    }

    [Test]
    [Spread(3)]
    public void A_batch_that_fails_leaves_nothing_for_the_next_batch([Range(0, 14)] int k)
    {
        // Rows of a failed batch must not write their answers into the rows of the next one.
        using SearchUnderTest under = new(_test, 8, Seed) { Policy = _policy };
        byte[] queries = [.. Enumerable.Range(0, 8).SelectMany(q => under.Query(q).ToArray())];
        var hits = new SearchHit[8 * SearchUnderTest.K];
        Watchdog.Run($"batch, reap {k}", () =>
        {
            under.Reopen();
            under.Device.Plan = FaultPlan.At(FaultStep.Reap, k, static () => throw new InvalidOperationException("made to fail"));
            Assert.That(
                () => under.Session.SearchMany<byte>(queries, SearchUnderTest.K, hits, [], under.Options(SearchMode.Beam)),
                Throws.InvalidOperationException);
            under.Device.Plan = new FaultPlan();
            hits.AsSpan().Clear();
            under.Session.SearchMany<byte>(queries.AsSpan(_test.RowBytes), SearchUnderTest.K, hits, [], under.Options(SearchMode.Beam));
            for (int row = 0; row < 7; row++)
                SearchUnderTest.AssertEqual(
                    $"row {row}", under.Answer(new SearchCase(row + 1, SearchMode.Beam)),
                    hits.AsSpan(row * SearchUnderTest.K, SearchUnderTest.K));
            PipelineHealth.AssertIdle(under.Session.Reads, "batch");
            under.Session.Dispose();
        });
    }

    [Test]
    public void Another_thread_is_refused_and_the_session_goes_on()
    {
        using SearchUnderTest under = new(_test, 2, Seed) { Policy = _policy };
        under.Answer(new SearchCase(0, SearchMode.Beam));
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
        Assert.That(thread.Join(TimeSpan.FromSeconds(60)), Is.True, "The other thread hangs.");
        Assert.That(stranger?.Message, Does.Contain("thread"));
        under.AssertHealthy("after the other thread", new SearchCase(0, SearchMode.Beam));
        under.AssertHealthy("after the other thread", new SearchCase(1, SearchMode.Pipelined));
    }

    private SearchUnderTest Open() => new(_test, Queries, Seed) { Policy = _policy };

    private SearchMode[] Modes => SearchUnderTest.ModesOfOneAnswer(_policy);

    private static IEnumerable<SearchCase> Searches(SearchMode mode) =>
        Enumerable.Range(0, Queries).Select(query => new SearchCase(query, mode));
}
