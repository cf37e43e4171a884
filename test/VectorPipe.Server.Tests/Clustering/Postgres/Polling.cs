using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Asks until something has happened that comes by itself, as in other processes.</summary>
internal static class Polling
{
    /// <summary>Between two questions: without it, they would take the processors from what they wait for.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    /// <summary>Asks until the answer is right, or time is over; the last one is returned.</summary>
    public static async Task<T> UntilAsync<T>(Func<Task<T>> ask, Predicate<T> isIt)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            T found = await ask();
            if (isIt(found) || TimeProvider.System.GetElapsedTime(start) >= HangBound.Patience)
                return found;
            await Task.Delay(Pause);
        }
    }

    /// <summary>Asks until it is so, and fails when time is over.</summary>
    public static async Task UntilAsync(Func<Task<bool>> isSo, string what) =>
        Assert.That(await UntilAsync(isSo, static found => found), what);
}
