using NUnit.Framework;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>Workers use blocks at random, and compare their reads with their own record of their writes.</summary>
[Platform("Linux")]
internal sealed class PagedMemoryScheduleTests
{
    [TestCase(1, 1.0, 2)]
    [TestCase(1, 4.0, 1)]
    [TestCase(2, 1.0, 2)]
    [TestCase(2, 1.5, 2)]
    [TestCase(3, 1.0, 2)]
    [TestCase(3, 1.5, 1)]
    [TestCase(3, 4.0, 1)]
    [TestCase(1, 1.0, 5, Category = "Heavy")]
    [TestCase(1, 1.5, 5, Category = "Heavy")]
    [TestCase(1, 4.0, 5, Category = "Heavy")]
    [TestCase(2, 1.5, 5, Category = "Heavy")]
    [TestCase(2, 4.0, 5, Category = "Heavy")]
    [TestCase(3, 1.5, 5, Category = "Heavy")]
    [TestCase(3, 4.0, 5, Category = "Heavy")]
    public void Nothing_is_lost_and_nothing_vanishes_while_it_is_held(int workers, double room, int cases) => Run(workers, room, cases);

    [Test]
    [Category("Heavy")]
    public void Nothing_is_lost_in_many_schedules([Values(2, 3)] int workers, [Values(1.0, 1.2, 2.0)] double room) =>
        Run(workers, room, cases: 300);

    private static void Run(int workers, double room, int cases)
    {
        Random seeds = RandomizedTest.Start();
        for (int i = 0; i < cases; i++)
        {
            int seed = seeds.Next();
            using var schedule = new PagingSchedule(seed, workers, room);
            Watchdog.Run($"{workers} workers, seed {seed}, {schedule}", schedule.Run);
        }
    }
}
