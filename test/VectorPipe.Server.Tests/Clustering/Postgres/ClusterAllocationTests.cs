using NUnit.Framework;
using VectorPipe.Server.Tests.Clients;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>What a node allocates for a search.</summary>
internal sealed class ClusterAllocationTests
{
    private const double MostBytes = 128;

    [Test]
    public async Task A_search_of_a_replica_on_the_node_that_is_asked_allocates_little() => await AllocationTests.AssertAsync(
        MostBytes, i => ["FP32", AllocationTests.VectorOf(i)], "--cluster", await PostgresFixture.Server.CreateDatabaseAsync(),
        "--replicas", "1");
}
