using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Killing;

/// <summary>
/// A server is killed while a client writes; what it acknowledged is there when it starts again, and what it removed is not.
/// </summary>
[TestFixture]
public sealed class ServerKillTests
{
    private const int Elements = 40;

    [TestCase(1, 2)]
    [TestCase(1, 4, Category = "Heavy")]
    [TestCase(2, 200, Category = "Heavy")]
    public async Task Acknowledged_writes_survive_every_kill(int seed, int kills)
    {
        string directory = Directory.CreateTempSubdirectory("vectorpipe-kill-").FullName;
        try
        {
            var random = new Random(seed);
            var model = new Dictionary<string, Element>();
            long acknowledged = 0;
            for (int kill = 0; kill < kills; kill++)
            {
                using ServerProcess server = await ServerProcess.StartAsync(directory);
                using RespClient client = await RespClient.ConnectAsync(server.Port);
                await CheckAsync(client, model, $"seed {seed}, before kill {kill}");
                var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                long enough = acknowledged + random.Next(1, 60);
                Task writing = WriteAsync(client, model, random, () =>
                {
                    if (++acknowledged == enough)
                        reached.SetResult();
                });

                // While it goes on writing.
                await Task.WhenAny(reached.Task, writing);
                await server.KillAsync();
                await writing;
            }

            TestContext.Out.WriteLine($"{acknowledged} writes acknowledged before {kills} kills");
            Assert.That(acknowledged, Is.GreaterThanOrEqualTo(kills));
            using ServerProcess last = await ServerProcess.StartAsync(directory);
            using RespClient reader = await RespClient.ConnectAsync(last.Port);
            await CheckAsync(reader, model, $"seed {seed}, at the end");
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    // Until the server dies: several commands on their way, of several sets, some of which come and go.
    private static async Task WriteAsync(RespClient client, Dictionary<string, Element> model, Random random, Action acknowledged)
    {
        try
        {
            while (true)
            {
                var sent = new List<(Element Element, int? Value)>();
                var bytes = new List<byte>();
                foreach (int number in Enumerable.Range(0, Elements).OrderBy(_ => random.Next()).Take(random.Next(1, 12)))
                {
                    (string set, string name) = ($"s{number % 3}", $"e{number}");
                    if (!model.TryGetValue($"{set} {name}", out Element? element))
                        model[$"{set} {name}"] = element = new Element(set, name);
                    int? value = random.Next(3) == 0 ? null : random.Next(1, 1000);
                    bytes.AddRange(value is { } one
                        ? RespClient.Encode("VADD", set, "VALUES", "1", one.ToString(CultureInfo.InvariantCulture), name)
                        : RespClient.Encode("VREM", set, name));
                    element.Possible.Add(value);
                    sent.Add((element, value));
                }

                await client.SendAsync(bytes.ToArray());
                foreach ((Element element, int? value) in sent)
                {
                    Assert.That(await client.ReadReplyAsync(), Does.StartWith(":"));
                    element.Possible.Clear();
                    element.Possible.Add(value);
                    acknowledged();
                }
            }
        }
        catch (IOException)
        {
            // The server has died.
        }
    }

    private static async Task CheckAsync(RespClient client, Dictionary<string, Element> model, string when)
    {
        foreach (Element element in model.Values)
        {
            string reply = await client.CallAsync("VEMB", element.Set, element.Name);
            int? value = reply == "$-1\r\n" ? null : int.Parse(reply.Split("\r\n")[2], CultureInfo.InvariantCulture);
            Assert.That(element.Possible, Does.Contain(value), $"{when}: {element.Set} {element.Name}");
            element.Possible.Clear();
            element.Possible.Add(value);
        }
    }

    /// <summary>An element and what it may be: the value that was acknowledged, or those that were sent behind it; null for none.</summary>
    private sealed record Element(string Set, string Name)
    {
        public HashSet<int?> Possible { get; } = [null];
    }
}
