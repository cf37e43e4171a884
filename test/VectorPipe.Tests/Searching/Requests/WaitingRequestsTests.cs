using NUnit.Framework;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Searching.Requests;

/// <summary>Waiting requests keep their order within each kind; a look for cancelled ones costs little.</summary>
[TestFixture]
internal sealed class WaitingRequestsTests
{
    private static readonly SearchPlan _plan = new IvfPlan(Asked: 1, K: 1, RecallBasis.Settings, Probes: 1, Rerank: 0, BoundFactor: 1);
    private readonly RecordingCompletion _completion = new();
    private readonly WaitingRequests _waiting = new();
    private int _made;

    [SetUp]
    public void Empty()
    {
        _waiting.FailAll(new InvalidOperationException("the test is over"));
        _completion.Ended.Clear();
        _made = 0;
    }

    [Test]
    public void Each_kind_is_served_in_the_order_of_arrival()
    {
        for (int i = 0; i < 30; i++)
            _waiting.Enqueue(Make(default, isLookup: i % 3 == 0));
        List<int> lookups = [], searches = [];
        while (_waiting.TryDequeue(RequestKind.Lookup, out PendingRequest? request))
            lookups.Add(request.Row);
        while (_waiting.TryDequeue(RequestKind.Search, out PendingRequest? request))
            searches.Add(request.Row);
        Assert.That(lookups, Is.EqualTo(Enumerable.Range(0, 30).Where(i => i % 3 == 0)));
        Assert.That(searches, Is.EqualTo(Enumerable.Range(0, 30).Where(i => i % 3 != 0)));
        Assert.That(_waiting.Count, Is.Zero);
    }

    [Test]
    public void A_look_visits_nothing_while_nothing_can_be_cancelled()
    {
        for (int i = 0; i < 100_000; i++)
            _waiting.Enqueue(Make(CancellationToken.None));
        long before = _waiting.Visited;
        for (int look = 0; look < 100; look++)
            _waiting.EndEarly();
        Assert.That(_waiting.Visited - before, Is.Zero);
    }

    [Test]
    public void A_look_visits_a_bounded_number_of_waiting_requests([Values(1, 100_000)] int others)
    {
        using var cancellation = new CancellationTokenSource();
        for (int i = 0; i < others; i++)
            _waiting.Enqueue(Make(cancellation.Token));
        long before = _waiting.Visited;
        for (int look = 0; look < 10; look++)
            _waiting.EndEarly();
        Assert.That(_waiting.Visited - before, Is.EqualTo(10 * Math.Min(others, WaitingRequests.MostVisited)));
    }

    [Test]
    public void Looks_continue_after_the_last_one_and_find_every_cancelled_request()
    {
        using var cancellation = new CancellationTokenSource();
        const int count = 10 * WaitingRequests.MostVisited;
        int[] cancelled = [0, 5, 1500, 1501, count / 2, count - 1];
        for (int i = 0; i < count; i++)
            _waiting.Enqueue(Make(cancelled.Contains(i) ? cancellation.Token : CancellationToken.None, isLookup: i % 2 == 0));
        cancellation.Cancel();
        for (int look = 0; look < 10; look++)
            _waiting.EndEarly();
        Assert.That(_completion.Ended.Select(request => request.Row), Is.EquivalentTo(cancelled));
        Assert.That(_completion.Ended.Select(request => request.Error), Is.All.InstanceOf<OperationCanceledException>());
        Assert.That(_waiting.Count, Is.EqualTo(count - cancelled.Length));
    }

    [Test]
    public void Every_request_ends_once_if_others_leave_between_looks([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        using var cancellation = new CancellationTokenSource();
        cancellation.Cancel();
        HashSet<int> taken = [];
        for (int step = 0; step < 20_000; step++)
        {
            int choice = random.Next(10);
            if (choice < 5)
                _waiting.Enqueue(Make(random.Next(4) == 0 ? cancellation.Token : default, isLookup: random.Next(2) == 0));
            else if (choice < 9 && _waiting.TryDequeue((RequestKind)random.Next(2), out PendingRequest? request))
                Assert.That(taken.Add(request.Row), Is.True, $"seed {seed}, step {step}");
            else if (choice == 9)
                _waiting.EndEarly();
        }

        while (_waiting.TryDequeue(out PendingRequest? request))
            Assert.That(taken.Add(request.Row), Is.True, $"seed {seed}");
        Assert.That(taken.Concat(_completion.Ended.Select(request => request.Row)),
            Is.EquivalentTo(Enumerable.Range(0, _made)), $"seed {seed}");
    }

    private PendingRequest Make(CancellationToken cancellationToken, bool isLookup = false)
    {
        if (isLookup)
        {
            var lookup = new LookupRequest(_completion) { Row = _made++ };
            lookup.Ask(1, withLinks: false, acceptedAt: 0, cancellationToken);
            return lookup;
        }

        var search = new SearchRequest(_completion) { Row = _made++ };
        search.Ask([], _plan, acceptedAt: 0, cancellationToken);
        return search;
    }
}
