namespace VectorPipe.Building.Phases;

/// <summary>How many worker threads a memory budget has room for. No state.</summary>
internal static class ThreadBudget
{
    /// <summary>
    /// As many as were asked for, or as many as the budget holds at the least: files do not depend on their number, but each takes memory,
    /// 23 MiB of it for 1M x 128 uint8.
    /// </summary>
    /// <param name="budget">Bytes; null for no bound.</param>
    /// <param name="most">Threads that were asked for; 1 or more.</param>
    /// <param name="leastOf">Least budget of a number of threads; does not fall with it.</param>
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
