using NUnit.Framework;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Pipeline;

public sealed class PendingIoScheduleTests
{
    [TestCase(2_000)]
    [TestCase(10_000, Category = "Heavy")]
    public void Counts_are_exact_under_any_schedule_of_faults(int schedules)
    {
        Random random = RandomizedTest.Start();
        int thrown = 0;
        for (int i = 0; i < schedules; i++)
        {
            int seed = random.Next();
            try
            {
                thrown += Run(seed).Count(what => what == RandomSchedule.OwnerThrew);
            }
            catch (Exception e)
            {
                TestContext.Out.WriteLine($"schedule {i}, schedule seed {seed}: {e}");
                throw;
            }
        }

        TestContext.Out.WriteLine($"{schedules} schedules, {thrown} exceptions of owners");
        Assert.That(thrown, Is.GreaterThan(schedules));
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
