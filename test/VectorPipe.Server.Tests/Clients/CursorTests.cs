using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Server.Connections;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Searches that go on, over connections.</summary>
internal sealed partial class CursorTests
{
    private const int Elements = 400;
    private const int Dimension = 16;

    // Exactly as a search for all of them at once, whatever the steps.
    [TestCase(new[] { "TRUTH" }, 7)]
    [TestCase(new[] { "TRUTH" }, 64)]
    [TestCase(new[] { "TRUTH", "FILTER", ".n % 3 == 1" }, 7)]
    [TestCase(new[] { "TRUTH", "FILTER", ".n % 50 == 1" }, 1)]
    [TestCase(new[] { "FILTER", ".n % 3 == 1", "FILTER-EF", "20" }, 7, false)]
    [TestCase(new string[0], 7, false)]
    public async Task Hits_come_once_and_none_is_missed(string[] options, int count, bool isOrdered = true)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await AddAsync(server, client);
        string[] query = ["VSIM", "k", "ELE", "17"];
        string[] filter = options.Contains("FILTER") ? ["FILTER", options[Array.IndexOf(options, "FILTER") + 1]] : [];
        string[] expected = NamesOf(await client.CallAsync([.. query, .. filter, "TRUTH", "COUNT", "65536"]));
        (string[] names, string id) = Take(await client.CallAsync([.. query, .. options, "COUNT", $"{count}", "XCURSOR"]));
        var found = new List<string>(names);
        for (int calls = 0; id != "0"; calls++)
        {
            Assert.That(calls, Is.LessThan(2 * Elements), "it comes to an end");
            Assert.That(id, Is.EqualTo("1"));
            (names, id) = Take(await client.CallAsync("XNEXT", "k", id));
            Assert.That(names, Has.Length.LessThanOrEqualTo(count));
            found.AddRange(names);
        }

        Assert.That(expected, Is.Not.Empty);
        Assert.That(found, isOrdered ? Is.EqualTo(expected) : Is.EquivalentTo(expected));
    }

    [Test]
    public async Task Commands_that_are_sent_at_once_go_on_one_after_the_other()
    {
        const int calls = 39;
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await AddAsync(server, client);
        string[] expected = NamesOf(await client.CallAsync("VSIM", "k", "ELE", "17", "TRUTH", "COUNT", $"{Elements}"));
        byte[] open = RespClient.Encode("VSIM", "k", "ELE", "17", "TRUTH", "COUNT", "10", "XCURSOR");
        IReadOnlyList<string> replies = await client.CallAllAsync(
            [open, .. Enumerable.Repeat(RespClient.Encode("XNEXT", "k", "1"), calls)]);
        Assert.That(replies.SelectMany(reply => Take(reply).Names), Is.EqualTo(expected));
    }

    [Test]
    public async Task A_cursor_belongs_to_its_connection()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient one = await server.ConnectAsync();
        using RespClient other = await server.ConnectAsync();
        await AddAsync(server, one);
        Assert.That(await OpenAsync(one), Is.EqualTo("1"));
        Assert.That(await other.CallAsync("XNEXT", "k", "1"), Does.StartWith("-NOCURSOR Cursor 1 is none of this connection"));
        Assert.That(Take(await one.CallAsync("XNEXT", "k", "1")).Id, Is.EqualTo("1"));
        Assert.That(await one.CallAsync("RESET"), Is.EqualTo("+RESET\r\n"));
        Assert.That(await one.CallAsync("XNEXT", "k", "1"), Does.StartWith("-NOCURSOR Cursor 1 has ended"));
    }

    [Test]
    public async Task One_cursor_more_than_allowed_ends_the_one_that_waited_longest()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await AddAsync(server, client);
        for (int i = 1; i <= ClientCursors.Most; i++)
            Assert.That(await OpenAsync(client), Is.EqualTo($"{i}"));
        Assert.That(Take(await client.CallAsync("XNEXT", "k", "1")).Id, Is.EqualTo("1"));
        Assert.That(await OpenAsync(client), Is.EqualTo($"{ClientCursors.Most + 1}"));
        Assert.That(await client.CallAsync("XNEXT", "k", "2"), Does.StartWith("-NOCURSOR Cursor 2 has ended"));
        Assert.That(Take(await client.CallAsync("XNEXT", "k", "1")).Id, Is.EqualTo("1"));
        Assert.That(Take(await client.CallAsync("XNEXT", "k", "3")).Id, Is.EqualTo("3"));
    }

    [Test]
    public async Task A_cursor_that_is_idle_for_a_minute_ends_and_one_that_is_used_goes_on()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(clock: time);
        using RespClient client = await server.ConnectAsync();
        await AddAsync(server, client);
        Assert.That(await OpenAsync(client), Is.EqualTo("1"));
        Assert.That(await OpenAsync(client), Is.EqualTo("2"));
        time.Advance(ClientCursors.LongestIdle / 2);
        Assert.That(Take(await client.CallAsync("XNEXT", "k", "2")).Id, Is.EqualTo("2"));
        time.Advance(ClientCursors.LongestIdle / 2);
        Assert.That(await client.CallAsync("XNEXT", "k", "1"), Does.StartWith("-NOCURSOR Cursor 1 has ended"));
        time.Advance(ClientCursors.LongestIdle / 4);
        Assert.That(Take(await client.CallAsync("XNEXT", "k", "2")).Id, Is.EqualTo("2"));
        time.Advance(ClientCursors.LongestIdle);
        Assert.That(await client.CallAsync("XNEXT", "k", "2"), Does.StartWith("-NOCURSOR Cursor 2 has ended"));
    }

    [Test]
    public async Task Hits_that_are_too_many_for_a_reply_come_with_the_next_one()
    {
        // Room for the names of some hits, and not of all.
        await using RunningServer server = await RunningServer.StartAsync(options => options.ReplyBytes = 512);
        using RespClient client = await server.ConnectAsync();
        await AddAsync(server, client);
        (string[] expected, _) = Take(await client.CallAsync("VSIM", "k", "ELE", "17", "TRUTH", "COUNT", "30", "XCURSOR"));
        string[] query = ["VSIM", "k", "ELE", "17", "TRUTH", "XCURSOR", "COUNT"];

        Assert.That(await client.CallAsync([.. query, "200"]), Does.StartWith("-ERR reply: expected at most 512 bytes"));
        (string[] first, string id) = Take(await client.CallAsync([.. query, "10"]));
        Assert.That(id, Is.EqualTo("2"), "the one before took none");
        foreach (string tooMany in (string[])["200", $"{Elements}", "300"])
        {
            Assert.That(
                await client.CallAsync("XNEXT", "k", id, "COUNT", tooMany), Does.StartWith("-ERR reply: expected at most 512 bytes"));
        }

        (string[] second, id) = Take(await client.CallAsync("XNEXT", "k", id, "COUNT", "20"));
        Assert.That(first.Concat(second), Is.EqualTo(expected));
        Assert.That(id, Is.EqualTo("2"));
    }

    [Test]
    public void All_clients_together_have_a_bound_and_give_back_what_they_took()
    {
        using var places = new SemaphoreSlim(2, 2);
        var time = new ManualTime();
        using var one = new ClientCursors(time, places);
        using (var other = new ClientCursors(time, places))
        {
            one.Add(null!);
            long id = other.Add(null!);
            Assert.That(() => other.Add(null!), Throws.Exception.Message.StartsWith("BUSY Too many cursors"));
            other.Take(id);
            other.End();
            other.Add(null!);
            Assert.That(places.CurrentCount, Is.Zero);
        }

        Assert.That(places.CurrentCount, Is.EqualTo(1), "the place of a client that has gone");
        time.Advance(ClientCursors.LongestIdle);
        Assert.That(places.CurrentCount, Is.EqualTo(2), "the place of one that was idle");
    }

    private static async Task<string> OpenAsync(RespClient client) =>
        Take(await client.CallAsync("VSIM", "k", "ELE", "17", "COUNT", "2", "XCURSOR")).Id;

    private static async Task AddAsync(RunningServer server, RespClient client)
    {
        var random = new Random(5);
        IEnumerable<byte[]> adds = Enumerable.Range(0, Elements).Select(e => RespClient.Encode(
        [
            "VADD", "k", "VALUES", $"{Dimension}", .. Enumerable.Range(0, Dimension).Select(_ => $"{random.Next(-99, 99)}"), $"{e}",
            "SETATTR", $$"""{"n":{{e}}}""", "XDISTANCE_METRIC", "L2",
        ]));
        Assert.That(await client.CallAllAsync(adds), Is.All.EqualTo(":1\r\n"));
        await server.CompactAsync("k");
    }

    // The hits and the cursor of a reply.
    private static (string[] Names, string Id) Take(string reply)
    {
        Assert.That(reply, Does.StartWith("*2\r\n"));
        return (NamesOf(reply), CursorPattern().Match(reply).Groups[1].Value);
    }

    private static string[] NamesOf(string reply) => [.. NamePattern().Matches(reply).Select(match => match.Groups[1].Value)];

    [GeneratedRegex("\\$[0-9]+\r\n([0-9]+)\r\n")]
    private static partial Regex NamePattern();

    [GeneratedRegex("\r\n:([0-9]+)\r\n$")]
    private static partial Regex CursorPattern();
}
