using System.Globalization;
using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Server.Tests.Clustering.Postgres;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>What a server in a process of its own allocates for a search of a client that has 64 on their way.</summary>
/// <remarks>Without other tests beside it: what a server allocates each second is a part of what it allocates for each search.</remarks>
[NonParallelizable]
internal sealed partial class AllocationTests
{
    // The first windows have code that was not optimized, which boxes, and pools that are not full.
    private const int Windows = 30;

    private const double MostBytes = 64;
    private const double MostUnsentBytes = 1 << 20;
    private const double MostBytesOfElement = 1400;

    // Searches change nothing: those of all tests are of one server, whose code is warm after the first of them.
    private FilledServer? _server;

    [OneTimeTearDown]
    public void Stop() => _server?.Dispose();

    [TestCase]
    [TestCase("WITHSCORES", "WITHATTRIBS", Category = "Heavy")]
    [TestCase("FILTER", ".number >= 0", Category = "Heavy")]
    [TestCase("FILTER", ".genre == 'drama' or .number < 1000", "WITHATTRIBS")]
    public Task A_search_allocates_next_to_nothing(params string[] options) =>
        AssertAsync(MostBytes, i => ["FP32", FilledServer.VectorOf(i), .. options]);

    // The element's name, its record and its vector: 1,105 bytes, and up to 1,200 on a machine that is busy with others.
    [Test]
    public Task A_search_near_an_element_allocates_little() => AssertAsync(MostBytesOfElement, i => ["ELE", $"element {i}"]);

    [Test]
    public async Task A_client_that_takes_no_replies_costs_what_may_wait_of_them_and_little_more()
    {
        const int clients = 20, looks = 20;
        byte[] commands = [.. Enumerable.Repeat(RespClient.Encode("ECHO", new string('x', 60_000)), 400).SelectMany(bytes => bytes)];
        string directory = Directory.CreateTempSubdirectory("vectorpipe-allocation-").FullName;
        var silent = new List<RespClient>();
        var sending = new List<Task>();
        try
        {
            using ServerProcess server = await ServerProcess.StartAsync(directory);
            using RespClient client = await RespClient.ConnectAsync(server.Port);
            (double Bytes, long Commands) before = await LookAsync(client);
            for (int i = 0; i < clients; i++)
            {
                silent.Add(await RespClient.ConnectAsync(server.Port));
                sending.Add(silent[^1].SendAsync(commands));
            }

            // Until replies wait up to the bound, and nothing more is read.
            int still = 0;
            (double Bytes, long Commands) last = before;
            double ofEach = await Polling.UntilAsync(
                async () =>
                {
                    (double Bytes, long Commands) now = await LookAsync(client);
                    still = now.Commands == last.Commands + 1 ? still + 1 : 0;
                    last = now;
                    return (now.Bytes - before.Bytes) / clients;
                },
                bytes => bytes >= MostUnsentBytes && still >= looks);
            Assert.That(still, Is.GreaterThanOrEqualTo(looks));
            Assert.That(ofEach, Is.InRange(MostUnsentBytes, 1.5 * MostUnsentBytes), "bytes a client");
        }
        finally
        {
            silent.ForEach(one => one.Dispose());
            foreach (Task one in sending)
                await one.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            Directory.Delete(directory, recursive: true);
        }
    }

    /// <summary>Asserts that a server allocates so little in one of several windows.</summary>
    /// <param name="client">Asks the server how much it has allocated.</param>
    /// <param name="most">The bytes of a search.</param>
    /// <param name="searches">Searches of a window.</param>
    /// <param name="searchAsync">Carries them out.</param>
    internal static async Task AssertWindowAsync(RespClient client, double most, int searches, Func<Task> searchAsync)
    {
        double least = double.MaxValue;
        for (int window = 0; window < Windows && least > most; window++)
        {
            double before = await AllocatedAsync(client);
            await searchAsync();
            least = Math.Min(least, (await AllocatedAsync(client) - before) / searches);
        }

        Assert.That(least, Is.LessThanOrEqualTo(most), "bytes a search");
    }

    private async Task AssertAsync(double most, Func<int, string[]> query)
    {
        Allocations.SkipInDebug();
        _server ??= await FilledServer.StartAsync();
        await _server.AssertAsync(most, query);
    }

    private static async Task<double> AllocatedAsync(RespClient client) => (await LookAsync(client)).Bytes;

    private static async Task<(double Bytes, long Commands)> LookAsync(RespClient client)
    {
        string info = await client.CallAsync("INFO");
        return (
            double.Parse(BytesPattern().Match(info).Groups[1].ValueSpan, CultureInfo.InvariantCulture),
            long.Parse(CommandsPattern().Match(info).Groups[1].ValueSpan, CultureInfo.InvariantCulture));
    }

    [GeneratedRegex("vectorpipe_allocated_bytes:([0-9]+)")]
    private static partial Regex BytesPattern();

    [GeneratedRegex("total_commands_processed:([0-9]+)")]
    private static partial Regex CommandsPattern();
}
