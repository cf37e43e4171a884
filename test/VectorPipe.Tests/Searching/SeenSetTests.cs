using NUnit.Framework;
using VectorPipe.Searching;

namespace VectorPipe.Tests.Searching;

/// <summary>The set of scored ids: exact at every size, and without allocations within what was reserved.</summary>
public sealed class SeenSetTests
{
    [Test]
    public void Every_id_is_new_once_whatever_the_set_has_grown_to([Values(0, 5000, 20_000, 70_000)] int reserved, [Values(10, 4096, 4097, 9000, 40_000)] int ids)
    {
        SeenSet set = new();
        if (reserved > 0)
            set.Reserve(reserved);
        for (int use = 0; use < 3; use++)
        {
            for (uint id = 0; id < ids; id++)
            {
                if (!set.Add(id * 977))
                    Assert.Fail($"id {id * 977} of use {use} was there before it was added");
            }

            for (uint id = 0; id < ids; id++)
            {
                if (set.Add(id * 977))
                    Assert.Fail($"id {id * 977} of use {use} was forgotten");
            }

            set.Clear();
        }
    }

    [Test]
    public void Nothing_is_allocated_within_what_was_reserved([Values(4096, 5000, 8192, 8193, 30_000)] int ids)
    {
        SeenSet set = new();
        set.Reserve(ids);
        Use(set, 10);
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (int count in new[] { ids, 10, ids / 2, ids, 10, 10, ids })
            Use(set, count);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(1000), "an array of the set would be 32 KiB or more");
    }

    private static void Use(SeenSet set, int ids)
    {
        set.Clear();
        for (uint id = 0; id < ids; id++)
            set.Add(id);
    }
}
