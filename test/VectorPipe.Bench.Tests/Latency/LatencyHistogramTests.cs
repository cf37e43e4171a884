using NUnit.Framework;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Tests.Latency;

public sealed class LatencyHistogramTests
{
    [Test]
    public void A_percentile_is_at_most_one_percent_above_its_sample([Values(1UL, 2UL, 3UL)] ulong seed)
    {
        var random = new SplitMix64(seed);
        var histogram = new LatencyHistogram();
        double[] samples = new double[5000];
        foreach (ref double sample in samples.AsSpan())
        {
            // Any magnitude from one nanosecond to about a quarter of an hour.
            long ns = (long)(random.Next() >> (24 + random.Next(40)));
            histogram.Record(ns);
            sample = ns;
        }

        Array.Sort(samples);
        foreach (double share in new[] { 0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1 })
        {
            double exact = Percentiles.Of(samples, share);
            Assert.That(
                histogram.PercentileNs(share), Is.GreaterThanOrEqualTo(exact).And.LessThanOrEqualTo(exact * 1.01),
                $"seed {seed}, share {share}");
        }
    }

    [Test]
    public void Short_durations_are_exact()
    {
        var histogram = new LatencyHistogram();
        for (int ns = 0; ns < 256; ns++)
            histogram.Record(ns);
        Assert.That(histogram.PercentileNs(0.5), Is.EqualTo(127));
    }

    [Test]
    public void Mean_count_and_greatest_are_exact()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_003);
        histogram.Record(7, times: 3);
        Assert.That((histogram.Count, histogram.MeanNs, histogram.GreatestNs), Is.EqualTo((4L, 250_006.0, 1_000_003L)));
    }

    [Test]
    public void A_percentile_never_exceeds_the_greatest()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_001);
        Assert.That(histogram.PercentileNs(1), Is.EqualTo(1_000_001));
    }

    [Test]
    public void The_longest_duration_has_a_bucket()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(long.MaxValue);
        Assert.That(histogram.PercentileNs(0.5), Is.EqualTo(long.MaxValue));
    }

    [Test]
    public void Counting_allocates_nothing()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1);
        long allocated = Allocations.OfThread(() =>
        {
            for (long ns = 0; ns < 10_000; ns++)
                histogram.Record(ns * ns, times: 2);
        });
        Assert.That(allocated, Is.Zero);
    }

    [Test]
    public void Histograms_add_up()
    {
        var one = new LatencyHistogram();
        var other = new LatencyHistogram();
        one.Record(10);
        other.Record(20, times: 9);
        one.Add(other);
        Assert.That((one.Count, one.PercentileNs(0.1), one.PercentileNs(0.2)), Is.EqualTo((10L, 10L, 20L)));
    }

    [Test]
    public void A_cleared_histogram_is_empty()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(99);
        histogram.Clear();
        Assert.That((histogram.Count, histogram.MeanNs, histogram.GreatestNs, histogram.PercentileNs(0.5)), Is.EqualTo((0L, 0.0, 0L, 0L)));
    }
}
