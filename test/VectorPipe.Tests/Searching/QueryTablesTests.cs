using NUnit.Framework;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching;

/// <summary>Compares the tables of nodes and pages of a query with dictionaries.</summary>
[Alone]
public sealed unsafe class QueryTablesTests
{
    [Test]
    public void A_noted_distance_is_known_until_the_table_is_cleared(
        [Values(0, 100, 5000)] int reserved, [Values(10, 512, 513, 9000)] int ids)
    {
        Random random = RandomizedTest.Start();
        var known = new IdTable<float>();
        for (int use = 0; use < 3; use++)
        {
            known.Reserve(reserved);
            known.Clear();
            var oracle = new Dictionary<uint, float>();
            while (oracle.Count < ids)
            {
                uint id = Draw(random, ids);
                Assert.That(
                    known.TryGet(id, out float distance), Is.EqualTo(oracle.TryGetValue(id, out float expected)), $"id {id} of use {use}");
                if (oracle.TryAdd(id, id * 0.5f))
                    known.Set(id, id * 0.5f);
                else
                    Assert.That(distance, Is.EqualTo(expected), $"id {id} of use {use}");
            }

            foreach ((uint id, float expected) in oracle)
                Assert.That(
                    known.TryGet(id, out float distance) ? distance : float.NaN, Is.EqualTo(expected), $"id {id} of use {use}, at the end");
        }
    }

    [Test]
    public void The_state_of_a_page_is_known_until_the_table_is_cleared(
        [Values(0, 100, 3000)] int reserved, [Values(10, 256, 257, 4000)] int pages)
    {
        Random random = RandomizedTest.Start();
        using var table = new PageLedger(4, 1);
        for (int use = 0; use < 3; use++)
        {
            table.Reserve(reserved);
            table.Begin(hasBarrier: false);
            var oracle = new Dictionary<uint, (PageState State, nint Bytes)>();
            while (oracle.Count < pages)
            {
                uint page = Draw(random, pages);
                Assert.That(
                    Get(table, page), Is.EqualTo(oracle.GetValueOrDefault(page, (PageState.Unknown, 0))), $"page {page} of use {use}");
                var state = (PageState)random.Next(1, 4);
                nint bytes = state == PageState.Here ? random.Next() & ~3 : 0;
                Note(table, page, state, (byte*)bytes);
                oracle[page] = (state, bytes);
            }

            foreach ((uint page, (PageState, nint) expected) in oracle)
                Assert.That(Get(table, page), Is.EqualTo(expected), $"page {page} of use {use}, at the end");
        }
    }

    [Test]
    public void Nothing_is_allocated_within_the_reserved_size()
    {
        Assert.That(Allocations.OfThread(Prepare), Is.Zero);

        static Action Prepare()
        {
            IdTable<float> known = new();
            PageLedger table = new(4, 0);
            known.Reserve(3000);
            table.Reserve(3000);
            return () =>
            {
                for (uint i = 0; i < 3000; i++)
                {
                    known.Set(i * 7, 1);
                    table.NoteAsked(i * 7);
                }
            };
        }
    }

    [Test]
    public void A_small_query_after_a_large_one_pays_only_for_its_own_ids()
    {
        var table = new IdTable<float>();
        table.Reserve(20_000);
        for (uint id = 0; id < 20_000; id++)
            table.Set(id * 7, id);
        for (int query = 0; query < 10; query++)
        {
            table.Clear();
            for (uint id = 0; id < 100; id++)
                table.Set(id * 13, id);
        }

        int capacity = table.Capacity;
        Assert.That(table.Size, Is.EqualTo(512), "slots that a clear has to fill");
        table.Reserve(20_000);
        Assert.That(table.Capacity, Is.EqualTo(capacity), "a usual query allocates nothing");
    }

    [Test]
    public void The_memory_of_a_very_large_query_is_freed()
    {
        var known = new IdTable<float>();
        var seen = new SeenSet();
        for (uint id = 0; id < 400_000; id++)
        {
            known.Set(id, id);
            seen.Add(id);
        }

        using var pages = new PageLedger(4096, 0);
        for (int page = 0; page < 5000; page++)
        {
            pages.Room();
            pages.Keep();
        }

        known.Clear();
        seen.Clear();
        pages.Begin(hasBarrier: false);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(known.Capacity, Is.LessThanOrEqualTo(1 << 16), "known distances");
            Assert.That(seen.Capacity, Is.LessThanOrEqualTo(1 << 18), "marks");
            Assert.That(pages.MemoryBytes, Is.EqualTo(PageLedger.MostKept * 4096L), "pages");
            Assert.That(known.TryGet(7, out _), Is.False);
            Assert.That(seen.Add(7), Is.True);
        }
    }

    private static uint Draw(Random random, int count) =>
        random.Next(3) == 0 ? (uint)random.Next(count) : (uint)random.NextInt64(uint.MaxValue);

    private static void Note(PageLedger table, uint page, PageState state, byte* bytes)
    {
        if (state == PageState.Walked)
            table.NoteWalked(page);
        else if (state == PageState.InFlight)
            table.NoteAsked(page);
        else
            table.Land(page, bytes);
        if (state == PageState.Here)
            table.NoteTaken();
    }

    private static (PageState State, nint Bytes) Get(PageLedger table, uint page)
    {
        PageState state = table.Get(page, out byte* bytes);
        return (state, state == PageState.Here ? (nint)bytes : 0);
    }
}
