using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Caching;

namespace VectorPipe.Tests.Searching.Caching;

/// <summary>The adaptive cache keeps pages in demand and never returns bytes of another page.</summary>
[TestFixture]
internal sealed unsafe class AdaptiveCacheTests
{
    private const int PageSize = 4096;

    [Test]
    public void An_offered_page_is_found_as_a_copy()
    {
        using var cache = new AdaptiveCache(64, PageSize);
        using var room = new NativeBuffer(PageSize);
        Offer(cache, 7);
        byte* found = cache.Find(7, room.Pointer);
        Assert.That(found == room.Pointer, Is.True, "the cache may overwrite its memory while a query uses the page");
        Assert.That(IsWhole(room, 7), Is.True);
        Assert.That(cache.Find(8, room.Pointer) is null, Is.True);
    }

    [Test]
    public void The_cache_holds_its_capacity_of_pages([Values(1, 2, 5, 16, 17, 160)] int capacity)
    {
        using var cache = new AdaptiveCache(capacity, PageSize);
        for (uint page = 0; page < 50 * capacity; page++)
            Offer(cache, page);
        Assert.That(cache.Statistics.Pages, Is.EqualTo(capacity / Math.Min(capacity, 16) * Math.Min(capacity, 16)));
        Assert.That(cache.Statistics.Pages + cache.Statistics.Evictions, Is.EqualTo(50 * capacity), "a page is either kept or evicted");
    }

    [Test]
    public void A_scan_does_not_evict_pages_in_demand()
    {
        const int capacity = 256, hot = 100;
        using var cache = new AdaptiveCache(capacity, PageSize);
        using var room = new NativeBuffer(PageSize);
        for (int round = 0; round < 3; round++)
        {
            for (uint page = 0; page < hot; page++)
                Want(cache, page, room);
        }

        // The scan is forty times the capacity and offers each page once; the other pages are wanted now and then.
        for (uint page = 0; page < 40 * capacity; page++)
        {
            Want(cache, 1_000_000 + page, room);
            if (page % 20 == 0)
                Want(cache, page / 20 % hot, room);
        }

        int kept = Enumerable.Range(0, hot).Count(page => cache.Find((uint)page, room.Pointer) is not null);
        Assert.That(kept, Is.GreaterThan(hot * 3 / 4));
    }

    [Test]
    public void A_page_that_comes_back_soon_skips_probation()
    {
        using var cache = new AdaptiveCache(16, PageSize);
        using var room = new NativeBuffer(PageSize);
        for (uint page = 0; page < 16; page++)
            Offer(cache, page);
        Offer(cache, 16);
        Assert.That(cache.Find(0, room.Pointer) is null, Is.True, "the oldest page without a hit goes first");
        Offer(cache, 0);

        // Two places are for probation: pages that pass through them evict no others.
        for (uint page = 100; page < 116; page++)
            Offer(cache, page);
        for (uint page = 1; page < 16; page++)
            Assert.That(cache.Find(page, room.Pointer) is null, Is.EqualTo(true), $"page {page} was never proven");
        Assert.That(cache.Find(0, room.Pointer) is not null, Is.True);
    }

    [Test]
    public void Threads_that_replace_pages_at_the_same_time_never_see_another_page([Values(1, 4, 16, 64)] int capacity)
    {
        const int threads = 4, steps = 40_000, pages = 300;
        int seed = Environment.TickCount;
        using var cache = new AdaptiveCache(capacity, PageSize);
        long hits = 0, misses = 0, wrong = 0;
        Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, thread =>
        {
            using var room = new NativeBuffer(PageSize);
            var random = new Random(seed + thread);
            for (int step = 0; step < steps; step++)
            {
                // Low numbers come often, so that there are hits in places that other threads overwrite.
                uint page = (uint)(random.Next(pages) * random.NextDouble() * random.NextDouble());
                if (cache.Find(page, room.Pointer) is not null)
                {
                    Interlocked.Increment(ref hits);
                    Interlocked.Add(ref wrong, IsWhole(room, page) ? 0 : 1);
                }
                else
                {
                    Interlocked.Increment(ref misses);
                    Fill(room, page);
                    cache.Offer(page, room.Pointer);
                }
            }
        });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(wrong, Is.Zero, $"seed {seed}");
            Assert.That(
                (cache.Statistics.Hits, cache.Statistics.Misses), Is.EqualTo((hits, misses)), $"seed {seed}: every look is counted");
            Assert.That(hits, Is.GreaterThan(0), $"seed {seed}");
            Assert.That(cache.Statistics.Evictions, Is.GreaterThan(0), $"seed {seed}");
        }
    }

    [Test]
    public void A_page_that_was_forgotten_is_not_found_until_it_is_offered_again([Values(1, 5, 64)] int capacity)
    {
        using var cache = new AdaptiveCache(capacity, PageSize);
        using var room = new NativeBuffer(PageSize);
        for (uint page = 0; page < 2 * capacity; page++)
            Offer(cache, page);
        for (uint page = 0; page < 3 * capacity; page++)
        {
            bool isKept = cache.Find(page, room.Pointer) is not null;
            long pages = cache.Statistics.Pages;
            cache.Forget(page);
            Assert.That(cache.Statistics.Pages, Is.EqualTo(pages - (isKept ? 1 : 0)));
            Assert.That(cache.Find(page, room.Pointer) is null);
        }

        Assert.That(cache.Statistics.Pages, Is.EqualTo(0));

        // Other bytes are at the place now.
        Fill(room, 77);
        cache.Offer(0, room.Pointer);
        using var copy = new NativeBuffer(PageSize);
        Assert.That(cache.Find(0, copy.Pointer) is not null && IsWhole(copy, 77));
    }

    private static void Want(AdaptiveCache cache, uint page, NativeBuffer room)
    {
        if (cache.Find(page, room.Pointer) is null)
            Offer(cache, page);
    }

    private static void Offer(AdaptiveCache cache, uint page)
    {
        using var bytes = new NativeBuffer(PageSize);
        Fill(bytes, page);
        cache.Offer(page, bytes.Pointer);
    }

    private static void Fill(NativeBuffer room, uint page) => MemoryMarshal.Cast<byte, uint>(room.Span(0, PageSize)).Fill(page);

    private static bool IsWhole(NativeBuffer room, uint page) =>
        !MemoryMarshal.Cast<byte, uint>(room.Span(0, PageSize)).ContainsAnyExcept(page);
}
