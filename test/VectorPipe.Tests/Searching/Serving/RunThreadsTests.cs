using NUnit.Framework;
using VectorPipe.Searching.Serving;

namespace VectorPipe.Tests.Searching.Serving;

[TestFixture]
internal sealed class RunThreadsTests
{
    /// <remarks>They were counted until they were refused: two rows of a batch could refuse each other, and end it.</remarks>
    [TestCase(5_000)]
    [TestCase(20_000, Category = "Heavy")]
    public void Requests_that_are_refused_never_count(int refusals)
    {
        const int Most = 2;
        using var threads = new RunThreads(1, Most, static thread => thread.Start());
        for (int i = 0; i < Most; i++)
            threads.Waiting.Enter();
        int refused = 0;
        var callers = new Thread[2];
        for (int i = 0; i < callers.Length; i++)
        {
            callers[i] = new Thread(() =>
            {
                while (Interlocked.Increment(ref refused) <= refusals)
                    Assert.That(threads.Waiting.Enter, Throws.TypeOf<SearchOverloadedException>());
            });
        }

        foreach (Thread caller in callers)
            caller.Start();
        int highest = 0;
        while (Volatile.Read(ref refused) < refusals)
            highest = Math.Max(highest, threads.Waiting.Count);
        foreach (Thread caller in callers)
            caller.Join();
        Assert.That(highest, Is.EqualTo(Most));
        Assert.That(threads.Waiting.Count, Is.EqualTo(Most));
    }
}
