using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Records of a collection, counted and printed.</summary>
public sealed class ScanTests
{
    private static readonly string[] _records =
    [
        """{"key":"a","vector":[1,0],"attributes":{"at":"2024-05-06T07:08:09.0000000+02:00","year":1970},"payload":"text"}""",
        """{"key":"b","vector":[1,0.5],"attributes":{"tags":["x","y"],"year":1985},"payload_base64":"/w=="}""",
        """{"key":"c","vector":[1,-0.25],"attributes":{},"payload":""}""",
    ];

    private TempFolder _folder = null!;

    private string Dir => _folder["collection"];

    [SetUp]
    public async Task CreateCollectionAsync()
    {
        _folder = new TempFolder();
        await CreateAsync(Dir);
        await File.WriteAllLinesAsync(_folder["records"], _records);
        await ToolRun.SucceedAsync("upsert", Dir, "--records", _folder["records"]);
    }

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task A_scan_with_vectors_copies_a_collection()
    {
        Assert.That(await ScanAsync(Dir, "--vectors"), Is.EquivalentTo(_records), "records in the log");
        await ToolRun.SucceedAsync("compact", Dir);
        string[] printed = await ScanAsync(Dir, "--vectors");
        Assert.That(printed, Is.EquivalentTo(_records), "records of the index");

        await CreateAsync(_folder["copy"]);
        await File.WriteAllLinesAsync(_folder["printed"], printed);
        await ToolRun.SucceedAsync("upsert", _folder["copy"], "--records", _folder["printed"]);
        Assert.That(await ScanAsync(_folder["copy"], "--vectors"), Is.EquivalentTo(_records));
    }

    [Test]
    public async Task A_scan_without_vectors_leaves_them_out()
    {
        JsonObject[] records = [.. (await ScanAsync(Dir)).Select(line => JsonNode.Parse(line)!.AsObject())];
        Assert.That(records.Select(record => record.ContainsKey("vector")), Is.All.False);
        Assert.That(records.Select(record => (string)record["key"]!), Is.EquivalentTo(new[] { "a", "b", "c" }));
    }

    [TestCase("year >= 1980", "b")]
    [TestCase("not exists year", "c")]
    [TestCase("tags contains 'x' or year == 1970", "a,b")]
    [TestCase("year == 1", "")]
    public async Task A_filter_leaves_records_that_match(string filter, string keys)
    {
        string[] expected = keys.Split(',', StringSplitOptions.RemoveEmptyEntries);
        string[] printed = await ScanAsync(Dir, "--filter", filter);
        Assert.That(printed.Select(line => (string)JsonNode.Parse(line)!["key"]!), Is.EquivalentTo(expected));
        Assert.That((await ToolRun.SucceedAsync("count", Dir, "--filter", filter)).Output.Trim(), Is.EqualTo($"{expected.Length}"));
    }

    [Test]
    public async Task Without_a_filter_all_records_count()
    {
        await ToolRun.SucceedAsync("delete", Dir, "--key", "a");
        Assert.That((await ToolRun.SucceedAsync("count", Dir)).Output.Trim(), Is.EqualTo("2"));
    }

    [Test]
    public async Task A_limit_ends_a_scan()
    {
        Assert.That(await ScanAsync(Dir, "--limit", "2"), Has.Length.EqualTo(2));
        Assert.That(await ScanAsync(Dir, "--limit", "9"), Has.Length.EqualTo(3));
    }

    [Test]
    public async Task A_collection_that_another_holds_can_be_scanned_and_counted()
    {
        await using var held = await VectorCollection<string>.OpenAsync(Dir);
        Assert.That(await ScanAsync(Dir), Has.Length.EqualTo(3));
        Assert.That((await ToolRun.SucceedAsync("count", Dir, "--filter", "exists year")).Output.Trim(), Is.EqualTo("2"));
    }

    [Test]
    public async Task Bad_options_are_refused()
    {
        (await ToolRun.RunAsync("scan", Dir, "--limit", "0")).AssertFailed(ExitCodes.BadInput, "--limit: expected 1 or more; found 0");
        foreach (string verb in new[] { "scan", "count" })
        {
            (await ToolRun.RunAsync(verb, Dir, "--filter", "yaer == 1")).AssertFailed(ExitCodes.BadInput, "year");
            (await ToolRun.RunAsync(verb, Dir, "--filter", "year ==")).AssertFailed(ExitCodes.BadInput, "value");
            (await ToolRun.RunAsync(verb, _folder["none"])).AssertFailed(ExitCodes.CannotReadOrWrite, "expected a collection");
        }
    }

    private static async Task CreateAsync(string directory) => await ToolRun.SucceedAsync(
        "create", directory, "--dimension", "2", "--metric", "l2", "--key-type", "string", "--attribute",
        "year:long,at:time,tags:strings");

    private static async Task<string[]> ScanAsync(string directory, params string[] more) =>
        (await ToolRun.SucceedAsync(["scan", directory, .. more])).Output
            .Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries);
}
