using NUnit.Framework;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Which node a read that is passed on asks, and when it asks another one.</summary>
internal sealed class ReplicaCallTests
{
    // As many as the times and the budget need.
    private const int Enough = 320;

    private static readonly TimeSpan _usual = TimeSpan.FromMilliseconds(5);

    private readonly Random _random = new(1);
    private ManualTime _clock = null!;
    private HedgePolicy _hedging = null!;
    private StillNode[] _nodes = null!;

    [SetUp]
    public void Make()
    {
        (_clock, _hedging) = (new ManualTime(), new HedgePolicy());
        _nodes = [.. Enumerable.Range(0, 3).Select(_ => new StillNode(_clock))];
    }

    [Test]
    public void Of_two_nodes_that_are_picked_the_one_with_fewer_calls_is_asked()
    {
        (_nodes[0].InFlight, _nodes[1].InFlight, _nodes[2].InFlight) = (2, 1, 0);
        int[] asked = new int[3];
        for (int i = 0; i < Enough; i++)
            asked[Array.IndexOf(_nodes, Ask(Begin()).Node)]++;

        // The busiest of three loses against any; the idlest is one of the two in two of three picks.
        Assert.That(asked[0], Is.Zero);
        Assert.That(asked[2], Is.InRange(Enough / 2, Enough - 1));
        Assert.That(asked[1], Is.Positive);
    }

    [Test]
    public void Of_nodes_with_as_many_calls_each_is_asked()
    {
        var asked = new HashSet<StillNode>();
        for (int i = 0; i < Enough; i++)
            asked.Add(Ask(Begin()).Node);

        Assert.That(asked, Is.EquivalentTo(_nodes));
    }

    [Test]
    public void A_node_that_is_set_aside_comes_last_however_idle_it_is()
    {
        for (int i = 0; i < 3; i++)
            _nodes[0].Health.CountFailure();
        (_nodes[1].InFlight, _nodes[2].InFlight) = (5, 6);
        ReplicaCall<StillNode> call = Begin();

        Assert.That((StillNode[])[Ask(call).Node, Ask(call).Node, Ask(call).Node], Is.EqualTo([_nodes[1], _nodes[2], _nodes[0]]));
        Assert.That(call.TryNext(out _), Is.False);
        Assert.That(call.Patience, Is.Null, "there is no other node");
    }

    [Test]
    public void Until_there_were_enough_replies_a_node_is_waited_for_as_long_as_any()
    {
        Answer(60, _usual);

        Assert.That(PatienceOf(Begin()), Is.EqualTo(HedgePolicy.Longest));
    }

    [Test]
    public void Then_a_node_is_late_after_the_95th_percentile_of_recent_replies()
    {
        for (int i = 0; i < Enough; i++)
            Answer(1, i % 20 == 0 ? 8 * _usual : _usual);
        Assert.That(PatienceOf(Begin()), Is.EqualTo(_usual), "one of twenty is slower");
        for (int i = 0; i < Enough; i++)
            Answer(1, i % 10 == 0 ? 8 * _usual : _usual);

        Assert.That(PatienceOf(Begin()), Is.EqualTo(8 * _usual), "two of twenty are");
    }

    [TestCase(0.1, 2)]
    [TestCase(200, 50)]
    public void A_node_is_late_after_two_milliseconds_at_the_earliest_and_after_fifty_at_the_latest(double repliesMs, double patienceMs)
    {
        Answer(Enough, TimeSpan.FromMilliseconds(repliesMs));

        Assert.That(PatienceOf(Begin()), Is.EqualTo(TimeSpan.FromMilliseconds(patienceMs)));
    }

    [Test]
    public void Replies_that_were_given_up_as_late_count_so_that_the_patience_does_not_shrink()
    {
        Answer(Enough, _usual);
        for (int i = 0; i < Enough; i++)
        {
            // One of fifteen is slow. For three of four of those, as many as the budget allows, a second node answers instead.
            ReplicaCall<StillNode> call = Begin();
            ReplicaAttempt<StillNode> attempt = Ask(call);
            if (i % 15 != 0)
            {
                _clock.Advance(_usual);
            }
            else
            {
                _clock.Advance(call.Patience!.Value);
                if (call.IsNextDue())
                    attempt = Ask(call);
                _clock.Advance(_usual);
            }

            call.CountAnswer(attempt);
        }

        Assert.That(PatienceOf(Begin()), Is.GreaterThan(_usual));
    }

    [Test]
    public void Late_reads_ask_a_second_node_for_at_most_one_of_twenty_reads()
    {
        Answer(Enough, _usual);
        int more = 0;
        for (int i = 0; i < Enough; i++)
        {
            // All nodes are slow at once.
            ReplicaCall<StillNode> call = Begin();
            ReplicaAttempt<StillNode> attempt = Ask(call);
            TimeSpan patience = call.Patience!.Value;
            _clock.Advance(patience);
            more += call.IsNextDue() ? 1 : 0;
            _clock.Advance((4 * _usual) - patience);
            call.CountAnswer(attempt);
        }

        // Five are saved from the time before.
        Assert.That(more, Is.InRange(Enough / 20, (Enough / 20) + 5));
        Assert.That(_hedging.Hedges, Is.EqualTo(more));
    }

    [Test]
    public void Without_a_budget_the_next_node_is_asked_after_fifty_milliseconds()
    {
        Answer(Enough, _usual);
        while (_hedging.TryHedge())
        {
        }

        ReplicaCall<StillNode> call = Begin();
        StillNode first = Ask(call).Node;
        _clock.Advance(_usual);
        Assert.That(call.IsNextDue(), Is.False);
        Assert.That(call.Patience, Is.EqualTo(HedgePolicy.Longest - _usual));
        _clock.Advance(call.Patience!.Value);
        Assert.That(call.IsNextDue(), Is.True);
        Assert.That(Ask(call).Node, Is.Not.EqualTo(first));
    }

    [Test]
    public void A_read_asks_only_one_more_node_early()
    {
        Answer(Enough, _usual);
        ReplicaCall<StillNode> call = Begin();
        Ask(call);
        _clock.Advance(_usual);
        Assert.That(call.IsNextDue(), Is.True);
        Ask(call);

        Assert.That(call.Patience, Is.EqualTo(HedgePolicy.Longest));
    }

    [Test]
    public void Where_a_node_has_failed_the_next_is_asked_at_once_without_the_budget()
    {
        ReplicaCall<StillNode> call = Begin();
        call.CountFailure(Ask(call));

        Assert.That(call.TryNext(out _), Is.True);
        Assert.That(_hedging.Hedges, Is.Zero);
    }

    [Test]
    public void A_node_that_is_late_has_not_failed()
    {
        Answer(Enough, _usual);
        for (int i = 0; i < 5; i++)
        {
            // The same node each time, as the other has more calls.
            (_nodes[0].InFlight, _nodes[1].InFlight) = (0, 1);
            ReplicaCall<StillNode> call = new([_nodes[0], _nodes[1]], _hedging, _random, _clock);
            Assert.That(Ask(call).Node, Is.EqualTo(_nodes[0]));
            _clock.Advance(call.Patience!.Value);
            Assert.That(call.IsNextDue(), Is.True, "the budget is there");
            call.CountAnswer(Ask(call));
        }

        Assert.That(_nodes[0].Health.IsAside, Is.False);
    }

    [Test]
    public void A_node_that_is_waited_for_longer_than_fifty_milliseconds_has_failed()
    {
        for (int i = 0; i < 3; i++)
        {
            (_nodes[0].InFlight, _nodes[1].InFlight) = (0, 1);
            ReplicaCall<StillNode> call = new([_nodes[0], _nodes[1]], _hedging, _random, _clock);
            Ask(call);
            _clock.Advance(call.Patience!.Value);
            Assert.That(call.IsNextDue(), Is.True);
            call.CountAnswer(Ask(call));
        }

        Assert.That(_nodes[0].Health.IsAside, Is.True);
        Assert.That(_nodes[1].Health.IsAside, Is.False);
    }

    [Test]
    public void A_node_that_was_late_and_then_waited_for_so_long_has_failed_too()
    {
        Answer(Enough, _usual);
        for (int i = 0; i < 3; i++)
        {
            (_nodes[0].InFlight, _nodes[1].InFlight) = (0, 1);
            ReplicaCall<StillNode> call = new([_nodes[0], _nodes[1]], _hedging, _random, _clock);
            Ask(call);
            _clock.Advance(call.Patience!.Value);
            Assert.That(call.IsNextDue(), Is.True, "the budget is there");
            ReplicaAttempt<StillNode> second = Ask(call);
            _clock.Advance(HedgePolicy.Longest);
            call.CountAnswer(second);
        }

        Assert.That(_nodes[0].Health.IsAside, Is.True);
        Assert.That(_nodes[1].Health.IsAside, Is.False);
    }

    [Test]
    public void A_node_that_answers_others_is_waited_for()
    {
        ReplicaCall<StillNode> call = Begin();
        StillNode first = Ask(call).Node;
        for (int i = 0; i < 5; i++)
        {
            _clock.Advance(HedgePolicy.Longest / 2);
            first.Health.CountReply();
            _clock.Advance(HedgePolicy.Longest / 2);
            Assert.That(call.IsNextDue(), Is.False, "it is busy");
        }

        _clock.Advance(HedgePolicy.Longest / 2);
        Assert.That(call.IsNextDue(), Is.True, "it has answered nobody for as long as a node is waited for");
        Assert.That(Ask(call).Node, Is.Not.EqualTo(first));
    }

    [TestCase(200, 200)]
    [TestCase(4000, 2000)]
    public void Where_all_replies_take_long_a_node_may_be_silent_for_as_long_up_to_two_seconds(double repliesMs, double silenceMs)
    {
        Answer(Enough, TimeSpan.FromMilliseconds(repliesMs));
        ReplicaCall<StillNode> call = Begin();
        Ask(call).Node.Health.CountReply();
        for (TimeSpan silent = HedgePolicy.Longest; silent < TimeSpan.FromMilliseconds(silenceMs); silent += HedgePolicy.Longest)
        {
            _clock.Advance(HedgePolicy.Longest);
            Assert.That(call.IsNextDue(), Is.False, $"silent for {silent.TotalMilliseconds} ms");
        }

        _clock.Advance(HedgePolicy.Longest);
        Assert.That(call.IsNextDue(), Is.True);
    }

    [Test]
    public void A_node_that_answers_others_has_not_failed_when_the_one_asked_after_it_has()
    {
        Answer(Enough, _usual);
        ReplicaCall<StillNode> call = Begin();
        ReplicaAttempt<StillNode> first = Ask(call);
        _clock.Advance(_usual);
        Assert.That(call.IsNextDue(), Is.True, "the budget is there");
        ReplicaAttempt<StillNode> second = Ask(call);
        _clock.Advance(HedgePolicy.Longest / 2);
        first.Node.Health.CountReply();
        _clock.Advance(HedgePolicy.Longest / 2);
        Assert.That(call.IsNextDue(), Is.True);
        call.CountAnswer(Ask(call));

        Assert.That((first.HasFailed, second.HasFailed), Is.EqualTo((false, true)));
    }

    private static ReplicaAttempt<StillNode> Ask(ReplicaCall<StillNode> call)
    {
        Assert.That(call.TryNext(out ReplicaAttempt<StillNode>? attempt), Is.True);
        return attempt!;
    }

    private static TimeSpan? PatienceOf(ReplicaCall<StillNode> call)
    {
        Ask(call);
        return call.Patience;
    }

    private ReplicaCall<StillNode> Begin() => new(_nodes, _hedging, _random, _clock);

    // Reads that are answered in time, or that nobody else could answer.
    private void Answer(int reads, TimeSpan time)
    {
        for (int i = 0; i < reads; i++)
        {
            ReplicaCall<StillNode> call = Begin();
            ReplicaAttempt<StillNode> attempt = Ask(call);
            _clock.Advance(time);
            call.CountAnswer(attempt);
        }
    }
}
