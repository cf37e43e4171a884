using NUnit.Framework;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>Searches of lists allocate nothing once their slots have grown.</summary>
[TestFixture]
[Alone]
internal sealed class ListAllocationTests
{
    private const int Batch = 100;
    private const int K = 10;

    [Test]
    [Spread(3)]
    public void A_session_allocates_nothing_per_query(
        [Values(TestDevice.Uring, TestDevice.Portable, TestDevice.Memory, TestDevice.MemoryRing)] TestDevice device,
        [Values(0, 16)] int codeBytes)
    {
        using TestIndex test = TestIndex.BuildLists(count: 2000, codeBytes: codeBytes);
        using VectorIndex index = test.OpenOrIgnore(device);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = 8 } };
        for (int i = 0; i < 20; i++)
            session.SearchMany<byte>(queries, K, hits, [], options);

        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 20; i++)
                session.SearchMany<byte>(queries, K, hits, [], options);
        });
        Assert.That(allocated, Is.Zero, "bytes allocated by the run thread over 2,000 queries");
    }

    [Test]
    public void A_session_with_a_cache_allocates_nothing_per_query([Values] CachePolicy policy, [Values(0, 16)] int codeBytes)
    {
        using TestIndex test = TestIndex.BuildLists(count: 2000, dimension: 128, codeBytes: codeBytes);
        var open = new OpenOptions
        {
            Device = new DeviceOptions { Kind = DeviceKind.Memory },
            QueriesInFlight = 4,
            CachePolicy = policy,
            CacheBytes = 30 * 4200
        };
        using VectorIndex index = VectorIndex.Open(test.Directory, open);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = 8 } };
        for (int i = 0; i < 10; i++)
            session.SearchMany<byte>(queries, K, hits, [], options);

        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 10; i++)
                session.SearchMany<byte>(queries, K, hits, [], options);
        });
        Assert.That(allocated, Is.Zero, "bytes allocated by the run thread over 1,000 queries");
        Assert.That(index.CacheStatistics.Hits, Is.GreaterThan(0));
    }
}
