namespace VectorPipe.Building.Phases;

/// <summary>The number of worker threads for which a memory budget has room.</summary>
internal static class ThreadBudget
{
    /// <summary>
    /// As many threads as requested, or as many as the budget has room for: each takes memory, 23 MiB for 1M x 128 uint8.
    /// </summary>
    /// <param name="budget">Bytes; null for no bound.</param>
    /// <param name="most">Threads requested; 1 or more.</param>
    /// <param name="leastOf">Least budget of a number of threads; rises with it.</param>
    /// <returns>1 or more; 1 if the budget is too small for any.</returns>
    public static int Within(long? budget, int most, Func<int, long> leastOf)
    {
        if (budget is null || budget >= leastOf(most))
            return most;
        int fits = 1, tooMany = most;
        while (tooMany - fits > 1)
        {
            int threads = fits + (tooMany - fits) / 2;
            if (budget >= leastOf(threads))
                fits = threads;
            else
                tooMany = threads;
        }

        return fits;
    }
}
