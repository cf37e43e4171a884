using NUnit.Framework;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>The look-ahead distance and the combine distance grow and decay.</summary>
public sealed class LookAheadTests
{
    private static readonly ReadStreamOptions _options = new() { MaxReads = 3, CombineLimit = 4 };

    [Test]
    public void The_distance_doubles_at_every_wait_up_to_its_limit()
    {
        var ahead = new LookAhead(_options);
        var distances = new List<int>();
        for (int i = 0; i < 6; i++)
        {
            ahead.OnReached(hadToWait: true);
            distances.Add(ahead.Distance);
        }

        Assert.That(distances, Is.EqualTo(new[] { 2, 4, 8, 16, 16, 16 }));
    }

    [Test]
    public void Reads_that_land_in_time_keep_the_distance_and_grow_longer()
    {
        var ahead = new LookAhead(_options);
        for (int i = 0; i < 3; i++)
            ahead.OnReached(hadToWait: false);

        Assert.That((ahead.Distance, ahead.CombineDistance), Is.EqualTo((1, 4)));
    }

    [Test]
    public void Hits_after_a_read_count_only_after_the_hold_off()
    {
        LookAhead ahead = Grown();
        for (int i = 0; i < _options.MaxAhead; i++)
            ahead.OnHit(isReading: false);
        Assert.That((ahead.Distance, ahead.CombineDistance), Is.EqualTo((16, 4)));
        ahead.OnHit(isReading: false);

        Assert.That((ahead.Distance, ahead.CombineDistance), Is.EqualTo((15, 3)));
    }

    [Test]
    public void Hits_during_reads_do_not_count()
    {
        LookAhead ahead = Grown();
        for (int i = 0; i < 100; i++)
            ahead.OnHit(isReading: true);

        Assert.That((ahead.Distance, ahead.HoldOff), Is.EqualTo((16, _options.MaxAhead)));
    }

    [Test]
    public void The_distance_never_falls_below_one()
    {
        LookAhead ahead = Grown();
        for (int i = 0; i < 1000; i++)
            ahead.OnHit(isReading: false);
        ahead.Limit(0);

        Assert.That((ahead.Distance, ahead.CombineDistance), Is.EqualTo((1, 1)));
    }

    [Test]
    public void A_read_renews_the_hold_off()
    {
        LookAhead ahead = Grown();
        for (int i = 0; i < _options.MaxAhead; i++)
            ahead.OnHit(isReading: false);
        ahead.OnIssued();
        ahead.OnHit(isReading: false);

        Assert.That(ahead.Distance, Is.EqualTo(16));
    }

    [Test]
    public void A_full_scan_begins_with_a_full_read()
    {
        var ahead = new LookAhead(_options with { StartsFull = true });

        Assert.That((ahead.Distance, ahead.CombineDistance), Is.EqualTo((4, 4)));
    }

    private static LookAhead Grown()
    {
        var ahead = new LookAhead(_options);
        for (int i = 0; i < 8; i++)
            ahead.OnReached(hadToWait: true);
        ahead.OnIssued();
        return ahead;
    }
}
