using NUnit.Framework;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Tests.Searching.Pools;

/// <summary>The set of scored ids is exact at every size, and allocates nothing within the reserved size.</summary>
[Alone]
public sealed class SeenSetTests
{
    [Test]
    public void Every_id_is_new_once_at_any_size_of_the_set(
        [Values(0, 5000, 20_000, 70_000)] int reserved, [Values(10, 4096, 4097, 9000, 40_000)] int ids)
    {
        SeenSet set = new();
        if (reserved > 0)
            set.Reserve(reserved);
        for (int use = 0; use < 3; use++)
        {
            for (uint id = 0; id < ids; id++)
            {
                if (set.AddNew([id * 977]) == 0)
                    Assert.Fail($"id {id * 977} of use {use} was there before it was added");
            }

            for (uint id = 0; id < ids; id++)
            {
                if (set.AddNew([id * 977]) != 0)
                    Assert.Fail($"id {id * 977} of use {use} was forgotten");
            }

            set.Clear();
        }
    }

    [Test]
    public void New_ids_are_kept_in_their_order_and_others_dropped([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        SeenSet set = new();
        HashSet<uint> seen = [];
        for (int batch = 0; batch < 200; batch++)
        {
            uint[] ids = [.. Enumerable.Range(0, random.Next(100)).Select(_ => (uint)random.Next(5000))];
            uint[] expected = [.. ids.Where(seen.Add)];
            int kept = set.AddNew(ids);
            Assert.That(ids[..kept], Is.EqualTo(expected), $"batch {batch} of seed {seed}");
        }
    }

    [Test]
    public void New_ids_may_be_moved_to_the_front_of_their_source([Values(1, 7, 64)] int piece)
    {
        var random = new Random(piece);
        SeenSet set = new();
        uint[] ids = [.. Enumerable.Range(0, 500).Select(_ => (uint)random.Next(300))];
        uint[] expected = [.. ids.Distinct()];
        int kept = 0;
        for (int from = 0; from < ids.Length; from += piece)
        {
            ReadOnlySpan<uint> some = ids.AsSpan(from, Math.Min(piece, ids.Length - from));
            set.Prefetch(some);
            kept += set.AddNew(some, ids.AsSpan(kept));
        }

        Assert.That(ids[..kept], Is.EqualTo(expected));
    }

    [Test]
    public void Ids_of_one_bucket_are_distinguished()
    {
        // Times the hash's factor these are small numbers: all fall into the first bucket, which cannot hold them.
        uint inverse = 1;
        for (int i = 0; i < 5; i++)
            inverse *= 2 - 0x9E37_79B1u * inverse;
        uint[] ids = [.. Enumerable.Range(1, 40).Select(number => (uint)number * inverse)];
        SeenSet set = new();
        Assert.That(set.AddNew((uint[])ids.Clone()), Is.EqualTo(ids.Length));
        Assert.That(set.AddNew((uint[])ids.Clone()), Is.Zero);
    }

    [Test]
    public void Nothing_is_allocated_within_the_reserved_size([Values(4096, 5000, 8192, 8193, 30_000)] int ids)
    {
        int[] counts = [ids, 10, ids / 2, ids, 10, 10, ids];
        Assert.That(Allocations.OfThread(Prepare), Is.Zero);

        Action Prepare()
        {
            SeenSet set = new();
            set.Reserve(ids);
            Use(set, 10);
            return () =>
            {
                foreach (int count in counts)
                    Use(set, count);
            };
        }
    }

    [Test]
    public void A_reservation_is_not_given_back_and_made_again([Values(100_000, 131_073, 200_000, 1_000_000)] int ids)
    {
        Assert.That(Allocations.OfThread(Prepare), Is.Zero);

        Action Prepare()
        {
            SeenSet set = new();
            IdTable<float> table = new();
            set.Reserve(ids);
            table.Reserve(ids);
            return () =>
            {
                for (int query = 0; query < 3; query++)
                {
                    Use(set, 10);
                    table.Clear();
                    set.Reserve(ids);
                    table.Reserve(ids);
                }
            };
        }
    }

    private static void Use(SeenSet set, int ids)
    {
        set.Clear();
        for (uint id = 0; id < ids; id++)
            set.AddNew(new Span<uint>(ref id));
    }
}
