using NUnit.Framework;
using VectorPipe.Building;
using VectorPipe.Building.Ivf;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe.Tests.Building.Ivf;

/// <summary>What the arithmetic of a memory budget promises for lists, whatever the shape of the data.</summary>
internal sealed class ListMemoryTests
{
    private const int Seed = 4712;
    private const long MiB = 1 << 20;

    [Test]
    public void With_the_least_budget_and_any_above_no_stage_takes_more_than_the_budget()
    {
        var random = new Random(Seed);
        foreach (ListNeeds needs in RandomNeeds(random))
        {
            long least = new ListMemory(needs, budget: 1).Least;
            foreach (long budget in new[] { least, least + 1, least + random.NextInt64(64 * MiB), least + random.NextInt64(2048 * MiB) })
            {
                var memory = new ListMemory(needs, budget);
                foreach (BuildStage stage in memory.Stages)
                    Assert.That(memory.HeldBytes(stage) + memory.PagedBytes(stage), Is.EqualTo(budget), $"{stage} of {needs}, seed {Seed}");
            }
        }
    }

    [Test]
    public void Below_the_least_budget_a_stage_takes_more_than_the_budget()
    {
        foreach (ListNeeds needs in RandomNeeds(new Random(Seed)))
        {
            long budget = new ListMemory(needs, budget: 1).Least - 1;
            var memory = new ListMemory(needs, budget);
            Assert.That(memory.Stages.Max(stage => memory.HeldBytes(stage) + memory.PagedBytes(stage)), Is.GreaterThan(budget), $"{needs}, seed {Seed}");
        }
    }

    [Test]
    public void The_least_budget_does_not_depend_on_the_budget([Values(null, 1L, 64 * MiB, 4096 * MiB)] long? budget)
    {
        ListNeeds needs = Needs(1_000_000, VectorElementType.UInt8, 128, 2, 32);
        Assert.That(new ListMemory(needs, budget).Least, Is.EqualTo(new ListMemory(needs, 1000 * MiB).Least));
    }

    [Test]
    public void The_least_budget_is_far_below_what_the_vectors_take()
    {
        ListNeeds needs = Needs(10_000_000, VectorElementType.Float32, 128, 2, 0);
        var free = new ListMemory(needs, budget: null);
        Assert.That(free.Least, Is.LessThan(free.Stages.Max(free.TakenBytes) / 4));
    }

    [Test]
    public void Shuffle_and_window_grow_with_the_budget_to_what_they_are_without_one()
    {
        ListNeeds needs = Needs(10_000_000, VectorElementType.UInt8, 128, 2, 0);
        ListMemory[] memories = [.. new long?[] { 1, 1024 * MiB, null }.Select(budget => new ListMemory(needs, budget))];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(memories[0].ShuffleBytes, Is.LessThan(memories[1].ShuffleBytes));
            Assert.That(memories[0].WindowBytes, Is.LessThan(memories[1].WindowBytes));
            Assert.That((memories[1].ShuffleBytes, memories[1].WindowBytes), Is.EqualTo((memories[2].ShuffleBytes, memories[2].WindowBytes)));
        }
    }

    private static ListNeeds Needs(long count, VectorElementType type, int dimension, int threads, int codeBytes)
    {
        ListPlan plan = ListPlan.Of(type, dimension, count, codeBytes, lists: null, pageSize: null);
        NodeLayout layout = NodeLayout.Lists(type, dimension, plan.PageSize);
        var shape = new ListShape((int)Math.Min(count, (2L * plan.Lists) + 64), ListPlan.MaxPages(layout, count, 2L * plan.Lists), plan.PageSize, dimension, CentroidGraph.MaxDegree, 0, codeBytes > 0);
        long training = codeBytes > 0 ? CodeTrainer.MemoryBytes(count, dimension, codeBytes, threads) : 0;
        VectorForm form = VectorForm.Of(DistanceMetric.L2, type, dimension);
        return new ListNeeds(count, (dimension * type.SizeInBytes()) + sizeof(ulong), form, plan, shape, threads, training, codeBytes > 0 ? MiB : 0, 8 * MiB);
    }

    private static IEnumerable<ListNeeds> RandomNeeds(Random random)
    {
        VectorElementType[] types = Enum.GetValues<VectorElementType>();
        for (int i = 0; i < 200; i++)
        {
            int dimension = random.Next(1, 2000);
            long count = (long)Math.Pow(10, random.NextDouble() * 9) + 1;
            yield return Needs(count, types[random.Next(types.Length)], dimension, random.Next(1, 33), i % 2 == 0 ? 0 : Math.Min(32, dimension));
        }
    }
}
