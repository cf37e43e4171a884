using NUnit.Framework;
using VectorPipe.Searching;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching;

/// <summary>What a query remembers of nodes and pages, against dictionaries.</summary>
public sealed unsafe class QueryTablesTests
{
    [Test]
    public void A_distance_is_known_once_it_was_noted_and_until_all_is_forgotten([Values(0, 100, 5000)] int reserved, [Values(10, 512, 513, 9000)] int ids)
    {
        Random random = RandomizedTest.Start();
        var known = new KnownDistances();
        for (int use = 0; use < 3; use++)
        {
            known.Reserve(reserved);
            known.Clear();
            var oracle = new Dictionary<uint, float>();
            while (oracle.Count < ids)
            {
                uint id = Draw(random, ids);
                Assert.That(known.TryGet(id, out float distance), Is.EqualTo(oracle.TryGetValue(id, out float expected)), $"id {id} of use {use}");
                if (oracle.TryAdd(id, id * 0.5f))
                    known.Add(id, id * 0.5f);
                else
                    Assert.That(distance, Is.EqualTo(expected), $"id {id} of use {use}");
            }

            foreach ((uint id, float expected) in oracle)
                Assert.That(known.TryGet(id, out float distance) ? distance : float.NaN, Is.EqualTo(expected), $"id {id} of use {use}, at the end");
        }
    }

    [Test]
    public void What_has_become_of_a_page_is_known_until_all_is_forgotten([Values(0, 100, 3000)] int reserved, [Values(10, 256, 257, 4000)] int pages)
    {
        Random random = RandomizedTest.Start();
        var table = new PageTable();
        for (int use = 0; use < 3; use++)
        {
            table.Reserve(reserved);
            table.Clear();
            var oracle = new Dictionary<uint, (PageState State, nint Bytes)>();
            while (oracle.Count < pages)
            {
                uint page = Draw(random, pages);
                Assert.That(Get(table, page), Is.EqualTo(oracle.GetValueOrDefault(page, (PageState.Unknown, 0))), $"page {page} of use {use}");
                var state = (PageState)random.Next(1, 4);
                nint bytes = state == PageState.Here ? random.Next() : 0;
                table.Set(page, state, (byte*)bytes);
                oracle[page] = (state, bytes);
            }

            foreach ((uint page, (PageState, nint) expected) in oracle)
                Assert.That(Get(table, page), Is.EqualTo(expected), $"page {page} of use {use}, at the end");
        }
    }

    [Test]
    public void Nothing_is_allocated_within_what_was_reserved()
    {
        Assert.That(ThreadAllocations.Least(Prepare), Is.Zero);

        static Action Prepare()
        {
            KnownDistances known = new();
            PageTable table = new();
            known.Reserve(3000);
            table.Reserve(3000);
            return () =>
            {
                for (uint i = 0; i < 3000; i++)
                {
                    known.Add(i * 7, 1);
                    table.Set(i * 7, PageState.InFlight);
                }
            };
        }
    }

    private static uint Draw(Random random, int count) => random.Next(3) == 0 ? (uint)random.Next(count) : (uint)random.NextInt64(uint.MaxValue);

    private static (PageState State, nint Bytes) Get(PageTable table, uint page)
    {
        PageState state = table.Get(page, out byte* bytes);
        return (state, state == PageState.Here ? (nint)bytes : 0);
    }
}
