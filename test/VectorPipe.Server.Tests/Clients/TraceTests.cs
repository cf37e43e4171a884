using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Tests.Dashboard;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>The trace beside the reply of a search.</summary>
internal sealed class TraceTests
{
    private const int Films = 2000;

    private static readonly string[] _fields =
    [
        "reads", "rounds", "hops", "cache-hits", "ms", "queue-ms", "compute-ms", "ended-by", "settings", "events",
    ];

    private DashboardServer _server = null!;
    private RespClient _client = null!;

    [OneTimeSetUp]
    public async Task StartAsync()
    {
        _server = await DashboardServer.StartAsync(Films);
        _client = await _server.Server.ConnectAsync();
    }

    [OneTimeTearDown]
    public async Task StopAsync()
    {
        _client?.Dispose();
        await _server.DisposeAsync();
    }

    [TestCase(2)]
    [TestCase(3)]
    public async Task A_traced_search_replies_as_it_would_and_says_what_it_did(int version)
    {
        using RespClient client = await _server.Server.ConnectAsync();
        if (version == 3)
            await client.CallAsync("HELLO", "3");

        // With a bound of reads both walk, as a traced search always does.
        string[] search = ["VSIM", DashboardServer.Films, "ELE", "film 7", "WITHSCORES", "XREADS", "100000"];
        string plain = await client.CallAsync(search);
        string reply = await client.CallAsync([.. search, "XTRACE"]);
        Assert.That(reply, Does.StartWith("*2\r\n" + plain));
        string trace = reply["*2\r\n".Length..][plain.Length..];
        Assert.That(trace, Does.StartWith(version == 3 ? $"%{_fields.Length}\r\n+reads\r\n:" : $"*{2 * _fields.Length}\r\n+reads\r\n:"));
        foreach (string field in _fields)
            Assert.That(trace, Does.Contain($"+{field}\r\n"));
        Assert.That(trace, Does.Contain(version == 3 ? "+ms\r\n," : "+ms\r\n$"));
        int reads = int.Parse(trace.Split("\r\n")[2].AsSpan(1), CultureInfo.InvariantCulture);
        Assert.That(reads, Is.Positive);
        Assert.That(trace.Split("$2\r\nph\r\n$1\r\nb\r\n"), Has.Length.EqualTo(reads + 1), "an event for each read");
    }

    [Test]
    public async Task Events_have_the_fields_of_those_over_http()
    {
        JsonNode answer = await _server.GetAsync($"/api/v1/trace?set={DashboardServer.Films}&element=film+7");
        string[] expected = [.. answer["trace"]!["traceEvents"]!.AsArray().SelectMany(e => FieldsOf(e!.AsObject())).Distinct().Order()];
        string reply = await _client.CallAsync("VSIM", DashboardServer.Films, "ELE", "film 7", "XTRACE");
        var reader = new ReplyReader(Encoding.Latin1.GetBytes(reply));
        Assert.That(reader.Array(), Is.EqualTo(2));
        for (int hits = reader.Array(); hits > 0; hits--)
            reader.Bulk();
        string events = reply[(reply.IndexOf("+events\r\n", StringComparison.Ordinal) + "+events\r\n".Length)..];
        foreach (string field in expected)
            Assert.That(events, Does.Contain($"${field.Length}\r\n{field}\r\n"));
        Assert.That(expected, Does.Contain("ts").And.Contain("page"));
    }

    [Test]
    public async Task A_trace_beside_a_filter_counts_all_its_reads()
    {
        string[] search = ["VSIM", DashboardServer.Films, "ELE", "film 7", "FILTER", ".year > 0"];
        string reply = await _client.CallAsync([.. search, "XTRACE"]);
        Assert.That(reply, Does.StartWith("*2\r\n" + await _client.CallAsync(search)));
        Assert.That(reply, Does.Match("\\+reads\r\n:[1-9]"));
    }

    [Test]
    public async Task A_set_without_an_index_has_no_events()
    {
        await _client.CallAsync("VADD", "few", "VALUES", "2", "1", "0", "a");
        string reply = await _client.CallAsync("VSIM", "few", "ELE", "a", "XTRACE");
        Assert.That(reply, Does.StartWith("*2\r\n*1\r\n$1\r\na\r\n*20\r\n+reads\r\n:0\r\n").And.EndWith("+events\r\n*0\r\n"));
    }

    private static IEnumerable<string> FieldsOf(JsonObject value) =>
        value.SelectMany(pair => pair.Value is JsonObject inner ? FieldsOf(inner).Prepend(pair.Key) : [pair.Key]);
}
