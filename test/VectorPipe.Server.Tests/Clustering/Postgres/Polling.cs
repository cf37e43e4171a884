using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Asks until something has happened that comes by itself, as in other processes.</summary>
internal static class Polling
{
    // Tests that ask without a pause take the processors from what they wait for.
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(5);

    /// <summary>Asks until the answer is right, or time is over; the last one is returned.</summary>
    public static async Task<T> UntilAsync<T>(Func<Task<T>> ask, Predicate<T> isIt)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            T found = await ask();
            if (isIt(found) || TimeProvider.System.GetElapsedTime(start) >= HangBound.Patience)
                return found;
            await Task.Delay(_pause);
        }
    }

    /// <summary>Asks until it is so, and fails when time is over.</summary>
    public static async Task UntilAsync(Func<Task<bool>> isSo, string what) =>
        Assert.That(await UntilAsync(isSo, static found => found), what);
}
