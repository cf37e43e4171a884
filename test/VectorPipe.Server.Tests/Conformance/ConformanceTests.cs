using NUnit.Framework;

namespace VectorPipe.Server.Tests.Conformance;

/// <summary>Commands and their replies, byte by byte, in both versions of the protocol.</summary>
[TestFixture]
public sealed class ConformanceTests
{
    // What the server promises at least. Generic commands and users were compared with Redis itself, reply by reply.
    private const int LeastCases = 400;

    private static string Folder => Path.Combine(AppContext.BaseDirectory, "Conformance");

    private static string[] Files =>
        [.. Directory.GetFiles(Folder, "*.txt").Select(path => Path.GetFileNameWithoutExtension(path)).Order(StringComparer.Ordinal)];

    [Test]
    public async Task Replies_are_those_of_the_file([ValueSource(nameof(Files))] string file, [Values(2, 3)] int version)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        if (version == 3)
            await client.CallAsync("HELLO", "3");
        Assert.Multiple(() =>
        {
            foreach (ConformanceCase one in ConformanceCase.Read(Path.Combine(Folder, file + ".txt")))
            {
                string reply = client.CallAsync(one.Arguments).WaitAsync(HangBound.Patience).GetAwaiter().GetResult();
                Assert.That(reply, Is.EqualTo(version == 2 ? one.Version2 : one.Version3), $"{file}.txt:{one.Line}");
            }
        });
    }

    [Test]
    public void There_are_enough_cases()
    {
        int cases = Files.Sum(file => ConformanceCase.Read(Path.Combine(Folder, file + ".txt")).Count);
        TestContext.Out.WriteLine($"{cases} cases");
        Assert.That(cases, Is.GreaterThanOrEqualTo(LeastCases));
    }
}
