using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
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
    private const int Elements = 300;
    private const int Dimension = 128;
    private const int Pipelined = 64;
    private const int Bursts = 100;

    // The first windows have code that was not optimized, which boxes, and pools that are not full.
    private const int Windows = 30;

    private const double MostBytes = 64;
    private const double MostUnsentBytes = 1 << 20;
    private const double MostBytesOfElement = 1400;

    [TestCase]
    [TestCase("WITHSCORES", "WITHATTRIBS")]
    [TestCase("FILTER", ".number >= 0")]
    [TestCase("FILTER", ".genre == 'drama' or .number < 1000", "WITHATTRIBS")]
    public Task A_search_allocates_next_to_nothing(params string[] options) =>
        AssertAsync(MostBytes, i => ["FP32", VectorOf(i), .. options]);

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

    /// <summary>Asserts how much a server allocates for a search at most.</summary>
    /// <param name="most">The bytes.</param>
    /// <param name="query">What follows the name of the set, for an element.</param>
    /// <param name="serverOptions">Further options of the server.</param>
    internal static async Task AssertAsync(double most, Func<int, string[]> query, params string[] serverOptions)
    {
        Allocations.SkipInDebug();
        string directory = Directory.CreateTempSubdirectory("vectorpipe-allocation-").FullName;
        try
        {
            string[] options = ["--cache-mb", "64", "--appendfsync", "no", .. serverOptions];
            using ServerProcess server = await ServerProcess.StartAsync(directory, options);
            using RespClient client = await RespClient.ConnectAsync(server.Port);
            for (int i = 0; i < Elements; i++)
            {
                string attributes = $$"""{"number":{{i}},"genre":"{{(i % 2 == 0 ? "drama" : "comedy")}}"}""";
                await client.CallAsync("VADD", "set", "FP32", VectorOf(i), $"element {i}", "SETATTR", attributes);
            }

            await client.CallAsync("XCOMPACT", "set");
            byte[] burst = [.. Enumerable.Range(0, Pipelined).SelectMany(i =>
                RespClient.Encode(["VSIM", "set", .. query(i)]))];
            int replyBytes = await SearchAsync(client, burst, null);

            await AssertWindowAsync(client, most, Bursts * Pipelined, async () =>
            {
                for (int i = 0; i < Bursts; i++)
                    await SearchAsync(client, burst, replyBytes);
            });
        }
        finally
        {
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

    /// <summary>Sends a burst and takes its replies.</summary>
    /// <returns>Their bytes, which are the same each time.</returns>
    private static async Task<int> SearchAsync(RespClient client, byte[] burst, int? replyBytes)
    {
        await client.SendAsync(burst);
        if (replyBytes is { } known)
        {
            await client.ReadBytesAsync(known);
            return known;
        }

        int bytes = 0;
        for (int i = 0; i < Pipelined; i++)
        {
            string reply = await client.ReadReplyAsync();
            Assert.That(reply, Does.Contain($"element {i}\r\n"));
            bytes += reply.Length;
        }

        return bytes;
    }

    private static async Task<double> AllocatedAsync(RespClient client) => (await LookAsync(client)).Bytes;

    private static async Task<(double Bytes, long Commands)> LookAsync(RespClient client)
    {
        string info = await client.CallAsync("INFO");
        return (
            double.Parse(BytesPattern().Match(info).Groups[1].ValueSpan, CultureInfo.InvariantCulture),
            long.Parse(CommandsPattern().Match(info).Groups[1].ValueSpan, CultureInfo.InvariantCulture));
    }

    /// <summary>The vector of an element.</summary>
    internal static string VectorOf(int seed)
    {
        var random = new Random(seed);
        float[] vector = [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle())];
        return Encoding.Latin1.GetString(MemoryMarshal.AsBytes<float>(vector));
    }

    [GeneratedRegex("vectorpipe_allocated_bytes:([0-9]+)")]
    private static partial Regex BytesPattern();

    [GeneratedRegex("total_commands_processed:([0-9]+)")]
    private static partial Regex CommandsPattern();
}
