using System.Runtime.InteropServices;
using System.Text;
using NUnit.Framework;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>A server in a process of its own with a set of some hundred elements, and a client of it.</summary>
internal sealed class FilledServer : IDisposable
{
    private const int Elements = 300;
    private const int Dimension = 128;
    private const int Pipelined = 64;
    private const int Bursts = 100;

    private readonly string _directory;
    private readonly ServerProcess _server;
    private readonly RespClient _client;

    private FilledServer(string directory, ServerProcess server, RespClient client) =>
        (_directory, _server, _client) = (directory, server, client);

    /// <summary>Starts it and fills its set.</summary>
    /// <param name="options">Further options of the server.</param>
    public static async Task<FilledServer> StartAsync(params string[] options)
    {
        string directory = Directory.CreateTempSubdirectory("vectorpipe-allocation-").FullName;
        ServerProcess? server = null;
        try
        {
            server = await ServerProcess.StartAsync(directory, ["--cache-mb", "64", "--appendfsync", "no", .. options]);
            var filled = new FilledServer(directory, server, await RespClient.ConnectAsync(server.Port));
            await filled.FillAsync();
            return filled;
        }
        catch
        {
            server?.Dispose();
            Directory.Delete(directory, recursive: true);
            throw;
        }
    }

    /// <summary>The vector of an element.</summary>
    public static string VectorOf(int seed)
    {
        var random = new Random(seed);
        float[] vector = [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle())];
        return Encoding.Latin1.GetString(MemoryMarshal.AsBytes<float>(vector));
    }

    /// <summary>Asserts how much it allocates for a search at most.</summary>
    /// <param name="most">The bytes.</param>
    /// <param name="query">What follows the name of the set, for an element.</param>
    public async Task AssertAsync(double most, Func<int, string[]> query)
    {
        byte[] burst = [.. Enumerable.Range(0, Pipelined).SelectMany(i => RespClient.Encode(["VSIM", "set", .. query(i)]))];
        int replyBytes = await SearchAsync(burst, null);
        await AllocationTests.AssertWindowAsync(_client, most, Bursts * Pipelined, async () =>
        {
            for (int i = 0; i < Bursts; i++)
                await SearchAsync(burst, replyBytes);
        });
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private async Task FillAsync()
    {
        for (int i = 0; i < Elements; i++)
        {
            string attributes = $$"""{"number":{{i}},"genre":"{{(i % 2 == 0 ? "drama" : "comedy")}}"}""";
            await _client.CallAsync("VADD", "set", "FP32", VectorOf(i), $"element {i}", "SETATTR", attributes);
        }

        await _client.CallAsync("XCOMPACT", "set");
    }

    /// <summary>Sends a burst and takes its replies.</summary>
    /// <returns>Their bytes, which are the same each time.</returns>
    private async Task<int> SearchAsync(byte[] burst, int? replyBytes)
    {
        await _client.SendAsync(burst);
        if (replyBytes is { } known)
        {
            await _client.ReadBytesAsync(known);
            return known;
        }

        int bytes = 0;
        for (int i = 0; i < Pipelined; i++)
        {
            string reply = await _client.ReadReplyAsync();
            Assert.That(reply, Does.Contain($"element {i}\r\n"));
            bytes += reply.Length;
        }

        return bytes;
    }
}
