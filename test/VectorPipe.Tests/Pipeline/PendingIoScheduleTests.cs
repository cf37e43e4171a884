using NUnit.Framework;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Pipeline;

public sealed class PendingIoScheduleTests
{
    private const int Schedules = 10_000;

    [Test]
    public void Counts_are_exact_under_any_schedule_of_faults()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < Schedules; i++)
        {
            int seed = random.Next();
            try
            {
                Run(seed);
            }
            catch (Exception e)
            {
                TestContext.Out.WriteLine($"schedule {i}, schedule seed {seed}: {e}");
                throw;
            }
        }
    }

    [Test]
    public void The_same_seed_gives_the_same_events()
    {
        int seed = RandomizedTest.Start().Next();
        IReadOnlyList<string> first = Run(seed);
        Assert.That(Run(seed), Is.EqualTo(first));
    }

    private static IReadOnlyList<string> Run(int seed)
    {
        using RandomSchedule schedule = new(seed);
        return schedule.Run();
    }
}
