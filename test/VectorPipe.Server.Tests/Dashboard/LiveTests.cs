using System.Diagnostics;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Server.Figures;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>Figures of the last second, and the counters behind them.</summary>
[TestFixture]
public sealed class LiveTests
{
    [Test]
    public async Task A_stream_tells_each_second_what_clients_searched_for()
    {
        await using DashboardServer server = await DashboardServer.StartAsync(films: 50);
        using RespClient client = await server.Server.ConnectAsync();
        await using Stream stream = await server.Http.GetStreamAsync("/api/v1/live");
        using var reader = new StreamReader(stream);
        Assert.That(await reader.ReadLineAsync(), Does.StartWith(":"));
        for (int i = 0; i < 20; i++)
            await client.CallAsync("VSIM", DashboardServer.Films, "ELE", DashboardServer.ElementOf(i));
        double searches = 0;

        // Each figure is rounded, and so is their sum.
        while (searches < 19.5)
        {
            JsonNode figures = await NextAsync(reader);
            double now = (double)figures["searchesPerSecond"]! * (double)figures["seconds"]!;
            searches += now;
            Assert.That((int)figures["connections"]!, Is.EqualTo(1));
            Assert.That((long)figures["memoryBytes"]!, Is.Positive);
            Assert.That(figures["p50Us"] is null, Is.EqualTo(now < 0.5), "there is a percentile where there is a search");
            Assert.That((double?)figures["p50Us"] ?? 0, Is.LessThanOrEqualTo((double?)figures["p999Us"] ?? 0));
        }

        Assert.That(searches, Is.EqualTo(20).Within(0.01));
    }

    [Test]
    public async Task A_stream_does_not_keep_the_server_from_ending()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        await using Stream stream = await server.Http.GetStreamAsync("/api/v1/live");
        using var reader = new StreamReader(stream);
        await reader.ReadLineAsync();
        long start = Stopwatch.GetTimestamp();
        await server.Server.StopAsync();
        Assert.That(Stopwatch.GetElapsedTime(start), Is.LessThan(TimeSpan.FromSeconds(20)));
    }

    [Test]
    public void Percentiles_are_at_most_a_sixtieth_too_high()
    {
        var buckets = new DurationBuckets();
        var random = new Random(3);
        long[] durations = [.. Enumerable.Range(0, 10_000).Select(_ => (long)Math.Pow(10, random.NextDouble() * 9))];
        foreach (long duration in durations)
            buckets.Add(duration);
        Array.Sort(durations);
        var counts = new long[DurationBuckets.Count];
        buckets.CopyTo(counts);
        foreach (double share in (double[])[0, 0.1, 0.5, 0.9, 0.99, 0.999, 1])
        {
            double exact = durations[Math.Max(0, (int)Math.Ceiling(share * durations.Length) - 1)] / 1e3;
            Assert.That(DurationBuckets.PercentileUs(counts, share), Is.InRange(exact, exact * (1 + (1 / 60.0))), $"{share}");
        }
    }

    [TestCase(-1L, 0.0)]
    [TestCase(0L, 0.0)]
    [TestCase(63L, 0.063)]
    [TestCase(64L, 0.064)]
    [TestCase(127L, 0.127)]
    [TestCase(128L, 0.129)]
    [TestCase(long.MaxValue, 4_398_046_511.103)]
    public void A_duration_is_in_a_bucket_that_ends_at_it_or_behind_it(long ns, double expectedUs)
    {
        var buckets = new DurationBuckets();
        buckets.Add(ns);
        var counts = new long[DurationBuckets.Count];
        buckets.CopyTo(counts);
        Assert.That(DurationBuckets.PercentileUs(counts, 1), Is.EqualTo(expectedUs).Within(1e-9));
        Assert.That(DurationBuckets.PercentileUs(new long[DurationBuckets.Count], 0.5), Is.Null, "there is none");
    }

    [Test]
    public void Counting_allocates_nothing()
    {
        var figures = new SearchFigures();
        long start = Stopwatch.GetTimestamp();
        long bytes = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 1000; i++)
                figures.Count(start, reads: 3);
        });
        Assert.That(bytes, Is.Zero);
        Assert.That(figures.Reads, Is.EqualTo(3 * figures.Searches));
    }

    private static async Task<JsonNode> NextAsync(StreamReader reader)
    {
        while (await reader.ReadLineAsync() is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
                return JsonNode.Parse(line["data: ".Length..])!;
        }

        throw new EndOfStreamException("The stream ended.");
    }
}
