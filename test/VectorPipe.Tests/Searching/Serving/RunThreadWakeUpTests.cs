using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>A run thread that looks for calls before it sleeps misses none, whenever they come.</summary>
public sealed class RunThreadWakeUpTests
{
    private const int Keys = 1000;

    private TestIndex _files = null!;

    [OneTimeSetUp]
    public void Build() => _files = TestIndex.Build(count: Keys);

    [OneTimeTearDown]
    public void Delete() => _files.Dispose();

    [Test]
    [Spread]
    public void Calls_that_come_while_it_falls_asleep_are_served([Values(1, 2, 3)] int callers, [Values(1, 2)] int runThreads) =>
        Call(callers, runThreads, calls: 600);

    [Test]
    [Category("Heavy")]
    public void Many_calls_that_come_while_it_falls_asleep_are_served([Values(1, 2, 3)] int callers, [Values(1, 2)] int runThreads) =>
        Call(callers, runThreads, calls: 1500);

    private void Call(int callers, int runThreads, int calls)
    {
        using VectorIndex index = VectorIndex.Open(
            _files.Directory, new OpenOptions { DeviceKind = DeviceKind.Memory, SearchThreads = runThreads });
        var threads = new Thread[callers];
        int found = 0;
        for (int caller = 0; caller < callers; caller++)
        {
            var random = new Random(caller);
            threads[caller] = new Thread(() =>
            {
                for (int i = 0; i < calls; i++)
                {
                    VectorRecord? record = index.GetAsync((ulong)random.Next(Keys)).AsTask().GetAwaiter().GetResult();
                    Interlocked.Add(ref found, record is null ? 0 : 1);

                    // Around the time for which it looks: some come before it sleeps, some after, some between.
                    if (i % 4 != 0)
                        continue;
                    int us = random.Next(2 * WaitPolling.MostUs);
                    for (long from = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(from).TotalMicroseconds < us;)
                        Thread.SpinWait(1);
                }
            });
        }

        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        Assert.That(found, Is.EqualTo(callers * calls));
    }
}
