using System.Numerics;

namespace VectorPipe.Numerics.Sorting;

/// <summary>Sorts any number of integers and observes a cancellation on the way.</summary>
internal static class StoppableSort
{
    // About a tenth of a second in random order.
    private const int LeastRows = 1 << 20;
    private const int StepsBetweenLooks = 1 << 20;

    // Twice the halvings of the longest array. Deeper recursion means adversarial numbers, which the framework's sort handles.
    private const int MostDepth = 62;

    /// <summary>Sorts in ascending order, in place.</summary>
    /// <param name="values">The numbers.</param>
    /// <param name="cancellationToken">Observed every few million comparisons; a cancelled sort leaves the numbers in any order.</param>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static void Sort<T>(Span<T> values, CancellationToken cancellationToken)
        where T : unmanaged, IBinaryInteger<T>
    {
        // Sort the smaller of two parts first, so that few parts wait.
        var parts = new Stack<(int First, int End, int Depth)>();
        parts.Push((0, values.Length, 0));
        while (parts.TryPop(out (int First, int End, int Depth) part))
        {
            cancellationToken.ThrowIfCancellationRequested();
            (int first, int end, int depth) = part;
            if (end - first <= LeastRows || depth == MostDepth)
            {
                values[first..end].Sort();
                continue;
            }

            int middle = first + Divide(values[first..end], cancellationToken);
            (int First, int End, int Depth) low = (first, middle, depth + 1), high = (middle, end, depth + 1);
            bool isLowSmaller = middle - first < end - middle;
            parts.Push(isLowSmaller ? high : low);
            parts.Push(isLowSmaller ? low : high);
        }
    }

    // Hoare's partition: no number of the first part is larger than one of the second, neither part is empty, and equal numbers spread
    // over both.
    private static int Divide<T>(Span<T> values, CancellationToken cancellationToken)
        where T : unmanaged, IBinaryInteger<T>
    {
        T pivot = Median(values[0], values[(values.Length - 1) / 2], values[^1]);
        int low = 0, high = values.Length - 1, looked = 0;
        while (true)
        {
            while (values[low] < pivot)
                low++;
            while (values[high] > pivot)
                high--;
            if (low >= high)
                return low;
            (values[low], values[high]) = (values[high], values[low]);
            low++;
            high--;
            if (low - looked >= StepsBetweenLooks)
            {
                cancellationToken.ThrowIfCancellationRequested();
                looked = low;
            }
        }
    }

    private static T Median<T>(T a, T b, T c)
        where T : unmanaged, IBinaryInteger<T> => T.Max(T.Min(a, b), T.Min(T.Max(a, b), c));
}
