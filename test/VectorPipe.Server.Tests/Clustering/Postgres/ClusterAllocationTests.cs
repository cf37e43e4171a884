using NUnit.Framework;
using VectorPipe.Server.Tests.Clients;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>What a node allocates for a search, without other tests beside it.</summary>
[NonParallelizable]
internal sealed class ClusterAllocationTests
{
    private const double MostBytes = 128;

    private const int Elements = 300;
    private const int Searches = 3000;

    // A node also allocates by the clock: beside all other tests that was a byte a search too much, once.
    [Test]
    [Category("Heavy")]
    public async Task A_search_of_a_replica_on_the_node_that_is_asked_allocates_little()
    {
        Allocations.SkipInDebug();
        using FilledServer node =
            await FilledServer.StartAsync("--cluster", await PostgresFixture.Server.CreateDatabaseAsync(), "--replicas", "1");
        await node.AssertAsync(MostBytes, i => ["FP32", FilledServer.VectorOf(i)]);
    }

    // A reply of 10 hits with their scores is 300 to 400 bytes.
    [TestCase(1, 1200, Category = "Heavy")]
    [TestCase(3, 5500, Category = "Heavy")]
    public async Task A_search_that_is_alone_allocates_little_at_a_node_that_passes_it_on(int shards, double most)
    {
        Allocations.SkipInDebug();
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        string[] folders = [.. Enumerable.Range(0, 2).Select(_ => Directory.CreateTempSubdirectory("vectorpipe-allocation-").FullName)];
        try
        {
            string[] options = ["--cluster", connection, "--replicas", "1", "--shards", $"{shards}", "--cache-mb", "64"];
            using ServerProcess node = await ServerProcess.StartAsync(folders[0], [.. options, "--node-name", "node"]);
            using RespClient filling = await RespClient.ConnectAsync(node.Port);
            for (int i = 0; i < Elements; i++)
                await filling.CallAsync("VADD", "set", "FP32", FilledServer.VectorOf(i), $"element {i}");
            using ServerProcess asked = await ServerProcess.StartAsync(folders[1], [.. options, "--node-name", "asked"]);
            using RespClient client = await RespClient.ConnectAsync(asked.Port);
            Assert.That(await client.CallAsync("XNODE", "LEAVE", "asked"), Is.EqualTo("+OK\r\n"));
            string found = await Polling.UntilAsync(() => client.CallAsync("VCARD", "set"), reply => reply == $":{Elements}\r\n");
            Assert.That(found, Is.EqualTo($":{Elements}\r\n"));

            await AllocationTests.AssertWindowAsync(client, most, Searches, async () =>
            {
                for (int i = 0; i < Searches; i++)
                    await client.CallAsync("VSIM", "set", "FP32", FilledServer.VectorOf(i % Elements));
            });
        }
        finally
        {
            foreach (string folder in folders)
                Directory.Delete(folder, recursive: true);
        }
    }
}
