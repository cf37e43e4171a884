using NUnit.Framework;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Tests.Numerics;

internal sealed class StoppableSortTests
{
    private const int Seed = 43;

    // Parts of more than a million numbers are divided.
    private const int Many = 3_300_000;

    private static readonly string[] _orders = ["random", "ascending", "descending", "equal", "two values", "organ pipe", "last is least"];

    [Test]
    [Spread(4)]
    public void Numbers_are_in_ascending_order_and_none_is_lost([ValueSource(nameof(_orders))] string order)
    {
        ulong[] values = Values(order, Many);
        ulong[] expected = [.. values];
        Array.Sort(expected);

        StoppableSort.Sort<ulong>(values, CancellationToken.None);

        Assert.That(values.AsSpan().SequenceEqual(expected), Is.True, $"seed {Seed}");
    }

    [Test]
    public void Few_numbers_are_sorted([Values(0, 1, 2, 1000)] int count)
    {
        var random = new Random(Seed);
        int[] values = [.. Enumerable.Range(0, count).Select(_ => random.Next(-count, count))];
        int[] expected = [.. values.Order()];

        StoppableSort.Sort<int>(values, CancellationToken.None);

        Assert.That(values, Is.EqualTo(expected));
    }

    [Test]
    public void A_cancelled_sort_ends()
    {
        ulong[] values = Values("random", Many);
        using var cancellation = new CancellationTokenSource();
        cancellation.Cancel();

        Assert.That(() => StoppableSort.Sort<ulong>(values, cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
    }

    private static ulong[] Values(string order, int count)
    {
        var random = new Random(Seed);
        ulong[] values = new ulong[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = order switch
            {
                "ascending" => (ulong)i,
                "descending" => (ulong)(count - i),
                "equal" => 7,
                "two values" => (ulong)random.Next(2),
                "organ pipe" => (ulong)Math.Min(i, count - i),
                "last is least" => i == count - 1 ? 0 : (ulong)i + 1,
                _ => (ulong)random.NextInt64(),
            };
        }

        return values;
    }
}
