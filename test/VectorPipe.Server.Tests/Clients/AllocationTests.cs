using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>What a server in a process of its own allocates for a search of a client that has 64 on their way.</summary>
internal sealed partial class AllocationTests
{
    private const int Elements = 300;
    private const int Dimension = 128;
    private const int Pipelined = 64;
    private const int Bursts = 100;

    // The first windows have code that was not optimized, which boxes, and pools that are not full.
    private const int Windows = 30;

    private const double MostBytes = 64;

    [TestCase]
    [TestCase("WITHSCORES", "WITHATTRIBS")]
    public async Task A_search_allocates_next_to_nothing(params string[] options)
    {
        Allocations.SkipInDebug();
        string directory = Directory.CreateTempSubdirectory("vectorpipe-allocation-").FullName;
        try
        {
            using ServerProcess server = await ServerProcess.StartAsync(directory, "--cache-mb", "64", "--appendfsync", "no");
            using RespClient client = await RespClient.ConnectAsync(server.Port);
            for (int i = 0; i < Elements; i++)
                await client.CallAsync("VADD", "set", "FP32", VectorOf(i), $"element {i}", "SETATTR", $$"""{"number":{{i}}}""");
            await client.CallAsync("XCOMPACT", "set");
            byte[] burst = [.. Enumerable.Range(0, Pipelined).SelectMany(i =>
                RespClient.Encode(["VSIM", "set", "FP32", VectorOf(i), .. options]))];
            int replyBytes = await SearchAsync(client, burst, null);

            double least = double.MaxValue;
            for (int window = 0; window < Windows && least > MostBytes; window++)
            {
                double before = await AllocatedAsync(client);
                for (int i = 0; i < Bursts; i++)
                    await SearchAsync(client, burst, replyBytes);
                least = Math.Min(least, (await AllocatedAsync(client) - before) / (Bursts * Pipelined));
            }

            Assert.That(least, Is.LessThanOrEqualTo(MostBytes), "bytes a search");
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
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

    private static async Task<double> AllocatedAsync(RespClient client) =>
        double.Parse(BytesPattern().Match(await client.CallAsync("INFO")).Groups[1].ValueSpan, CultureInfo.InvariantCulture);

    private static string VectorOf(int seed)
    {
        var random = new Random(seed);
        float[] vector = [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle())];
        return Encoding.Latin1.GetString(MemoryMarshal.AsBytes<float>(vector));
    }

    [GeneratedRegex("vectorpipe_allocated_bytes:([0-9]+)")]
    private static partial Regex BytesPattern();
}
