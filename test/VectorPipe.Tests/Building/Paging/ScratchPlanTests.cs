using NUnit.Framework;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>What holds of scratch files, however rough the figures are.</summary>
internal sealed class ScratchPlanTests
{
    private const long MiB = 1 << 20;

    private static readonly BuildShape _million = MemoryPlanTests.Shape(1_000_000, VectorElementType.UInt8, 128, 64, 2);

    [Test]
    public void Without_a_budget_there_are_none()
    {
        ScratchPlan plan = Plan(null);
        Assert.That(plan.MostBytes, Is.Zero);
        Assert.That(plan.Phases(), Has.All.EqualTo((0L, 0L)));
    }

    [Test]
    public void Where_all_fits_into_memory_only_shuffles_are_written_and_read()
    {
        (long Read, long Written)[] phases = Plan(16_384 * MiB).Phases();
        Assert.That(phases.Sum(phase => phase.Read), Is.EqualTo(phases.Sum(phase => phase.Written)));
        Assert.That(phases.Count(phase => phase.Read > 0), Is.EqualTo(3), "the partition's shuffle and those of two merges");
    }

    [Test]
    public void Less_memory_never_means_less_work()
    {
        long read = 0;
        long written = 0;
        for (long budget = 4096 * MiB; budget >= 100 * MiB; budget -= 13 * MiB)
        {
            (long Read, long Written)[] phases = Plan(budget).Phases();
            Assert.That(phases.Sum(phase => phase.Read), Is.GreaterThanOrEqualTo(read), $"{budget} bytes");
            Assert.That(phases.Sum(phase => phase.Written), Is.GreaterThanOrEqualTo(written), $"{budget} bytes");
            read = phases.Sum(phase => phase.Read);
            written = phases.Sum(phase => phase.Written);
        }
    }

    private static ScratchPlan Plan(long? budget) => new(new MemoryPlan(_million, budget), _million);
}
