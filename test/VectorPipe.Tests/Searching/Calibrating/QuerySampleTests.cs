using NUnit.Framework;
using VectorPipe.Searching.Calibrating;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>A sample of queries is uniform, whatever their number.</summary>
public sealed class QuerySampleTests
{
    private const int Capacity = 64;

    [Test]
    public void All_of_a_few_queries_are_taken()
    {
        var sample = new QuerySample(Capacity);
        Offer(sample, 0, Capacity - 1);
        Assert.That(Numbers(sample.Take()), Is.EqualTo(Enumerable.Range(0, Capacity - 1)));
    }

    [Test]
    public void Each_of_many_queries_is_as_likely_as_any_other()
    {
        const int count = 10_000;
        var sample = new QuerySample(Capacity);
        Offer(sample, 0, count);
        int[] numbers = Numbers(sample.Take());

        // Of uniform numbers the mean of 64 lies within three standard errors of the middle: 0.29 x 10,000 / 8 each.
        Assert.That(numbers, Has.Length.EqualTo(Capacity));
        Assert.That(numbers, Is.Unique);
        Assert.That(numbers.Average(), Is.EqualTo(count / 2.0).Within(3 * 0.29 * count / Math.Sqrt(Capacity)));
        for (int quarter = 0; quarter < 4; quarter++)
            Assert.That(numbers.Count(number => number / (count / 4) == quarter), Is.InRange(6, 28), $"quarter {quarter}");
    }

    [Test]
    public async Task The_wait_ends_with_a_full_sample_and_begins_anew_with_the_next()
    {
        var sample = new QuerySample(Capacity);
        Task wait = sample.WaitAsync(CancellationToken.None);
        Offer(sample, 0, Capacity - 1);
        Assert.That(wait.IsCompleted, Is.False, "one is missing");
        Offer(sample, Capacity, 1);
        await wait;

        sample.Take();
        Assert.That(sample.WaitAsync(CancellationToken.None).IsCompleted, Is.False, "the next sample is empty");
        Offer(sample, 0, Capacity);
        await sample.WaitAsync(CancellationToken.None);
        Assert.That(sample.Offered, Is.EqualTo(Capacity));
    }

    [Test]
    public void A_cancelled_wait_ends()
    {
        using var stop = new CancellationTokenSource();
        Task wait = new QuerySample(Capacity).WaitAsync(stop.Token);
        stop.Cancel();
        Assert.That(async () => await wait, Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void Queries_of_several_threads_are_all_counted_and_whole()
    {
        const int threads = 4, each = 5_000;
        var sample = new QuerySample(Capacity);
        Parallel.For(0, threads, thread => Offer(sample, thread * each, each));
        Assert.That(sample.Offered, Is.EqualTo(threads * each));
        int[] numbers = Numbers(sample.Take());
        Assert.That(numbers, Is.Unique);
        Assert.That(numbers, Has.Length.EqualTo(Capacity));
    }

    private static void Offer(QuerySample sample, int first, int count)
    {
        Span<byte> query = stackalloc byte[2 * sizeof(int)];
        for (int number = first; number < first + count; number++)
        {
            BitConverter.TryWriteBytes(query, number);
            BitConverter.TryWriteBytes(query[sizeof(int)..], ~number);
            sample.Offer(query);
        }
    }

    private static int[] Numbers(byte[][] queries)
    {
        foreach (byte[] query in queries)
            Assert.That(BitConverter.ToInt32(query), Is.EqualTo(~BitConverter.ToInt32(query, sizeof(int))), "a whole query");
        return [.. queries.Select(query => BitConverter.ToInt32(query))];
    }
}
