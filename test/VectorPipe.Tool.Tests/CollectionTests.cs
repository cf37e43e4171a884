using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>A collection through the command line: created, written, read, searched, copied.</summary>
public sealed class CollectionTests
{
    private TempFolder _folder = null!;

    private string Dir => _folder["collection"];

    [SetUp]
    public void CreateFolder() => _folder = new TempFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase("ulong", "18446744073709551615", "7")]
    [TestCase("long", "-9223372036854775808", "7")]
    [TestCase("int", "-7", "2147483647")]
    [TestCase("guid", "\"0b1ad3ab-4e3c-4d1c-9c0a-000000000001\"", "\"0b1ad3ab-4e3c-4d1c-9c0a-000000000002\"")]
    [TestCase("string", "\"ä key, with a comma\"", "\"7\"")]
    public async Task Records_of_every_type_of_keys_come_back(string keyType, string first, string second)
    {
        await ToolRun.SucceedAsync("create", Dir, "--dimension", "2", "--key-type", keyType, "--metric", "l2");
        await UpsertAsync($$"""{"key": {{first}}, "vector": [0, 1]}""", $$"""{"key": {{second}}, "vector": [0, 9]}""");

        JsonObject[] hits = await RowsAsync("query", Dir, "--vector", "[0, 2]");
        Assert.That(hits.Select(hit => hit["key"]!.ToJsonString()), Is.EqualTo(new[] { Json(first), Json(second) }));
        Assert.That(hits.Select(hit => (float)hit["score"]!), Is.EqualTo(new float[] { 1, 49 }));

        Assert.That(await RowsAsync("query", Dir, "--vector", "[0, 2]", "--within", "1", "--deadline-ms", "1e6"), Has.Length.EqualTo(1));
        string within = (await ToolRun.SucceedAsync("query", Dir, "--vector", "[0, 2]", "--within", "1")).Output;
        Assert.That(within, Does.Contain("query 0: 1 hits, ended by AllWithin"));
        string explained = (await ToolRun.SucceedAsync("query", Dir, "--vector", "[0, 2]", "--within", "1", "--explain")).Output;
        Assert.That(explained, Does.Contain("End: 1 hits, all that were found within the score."));

        string key = second.Trim('"');
        Assert.That((await RowsAsync("get", Dir, $"--key={key}"))[0]["key"]!.ToJsonString(), Is.EqualTo(Json(second)));
        Assert.That((await ToolRun.SucceedAsync("delete", Dir, $"--key={key}")).Output, Does.Contain("1 of 1 keys deleted, 1 records"));
        Assert.That((await ToolRun.RunAsync("get", Dir, $"--key={key}")).ExitCode, Is.EqualTo(ExitCodes.KeyNotFound));
    }

    [Test]
    public async Task A_filter_leaves_the_nearest_of_those_that_match()
    {
        await CreateFullAsync(Dir);
        await UpsertAsync(
            """{"key": 1, "vector": [1, 0], "attributes": {"year": 1970, "tags": ["sea"]}}""",
            """{"key": 2, "vector": [1, 0.1], "attributes": {"year": 1985, "tags": ["sea", "draft"]}}""",
            """{"key": 3, "vector": [1, 0.2], "attributes": {"year": 1990}}""");
        JsonObject[] hits = await RowsAsync(
            "query", Dir, "--vector", "[1, 0]", "--filter", "year >= 1980 and not tags contains 'draft'");
        Assert.That(hits.Select(hit => (int)hit["key"]!), Is.EqualTo(new[] { 3 }));
        JsonObject[] near = await RowsAsync("query", Dir, "--key", "1", "--filter", "exists tags");
        Assert.That(near.Select(hit => (int)hit["key"]!), Is.EqualTo(new[] { 2 }));
    }

    [TestCase("float32", "[0.5,-1.25]")]
    [TestCase("float16", "[0.5,-1.25]")]
    [TestCase("uint8", "[0,255]")]
    [TestCase("int8", "[-128,127]")]
    public async Task Vectors_of_every_type_come_back(string type, string vector)
    {
        await ToolRun.SucceedAsync("create", Dir, "--dimension", "2", "--type", type);
        await UpsertAsync($$"""{"key": 1, "vector": {{vector}}}""");
        Assert.That((await RowsAsync("get", Dir, "--key", "1"))[0]["vector"]!.ToJsonString(), Is.EqualTo(vector));
    }

    [Test]
    public async Task A_record_that_get_prints_can_be_written_again()
    {
        await CreateFullAsync(Dir);
        string[] records =
        [
            """{"key":1,"vector":[1,0],"attributes":{"at":"2024-05-06T07:08:09.0000000+02:00","good":true,"id":"0b1ad3ab-"""
                + """4e3c-4d1c-9c0a-000000000001","name":"ä \"b\"","tags":["x","y"],"year":-5},"payload":"text"}""",
            """{"key":2,"vector":[0,1],"attributes":{"weight":"NaN"},"payload_base64":"/w=="}""",
            """{"key":3,"vector":[0,1],"attributes":{"weight":0.25},"payload":""}""",
        ];
        await UpsertAsync(records);
        await File.WriteAllTextAsync(_folder["out"], (await ToolRun.SucceedAsync("get", Dir, "--key", "1,2,3", "--format", "json")).Output);
        Assert.That(await File.ReadAllLinesAsync(_folder["out"]), Is.EqualTo(records));

        await CreateFullAsync(_folder["other"]);
        await ToolRun.SucceedAsync("upsert", _folder["other"], "--records", _folder["out"]);
        await ToolRun.SucceedAsync("compact", _folder["other"]);
        ToolRun again = await ToolRun.SucceedAsync("get", _folder["other"], "--key", "1,2,3", "--format", "json");
        Assert.That(again.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries), Is.EqualTo(records));
    }

    [Test]
    public async Task A_table_shows_what_is_included_and_nothing_else()
    {
        await CreateFullAsync(Dir);
        await UpsertAsync("""{"key": 1, "vector": [1, 0], "attributes": {"year": 1999}, "payload": "hello"}""");
        string all = (await ToolRun.SucceedAsync("query", Dir, "--vector", "[1, 0]", "--include", "attributes,payload")).Output;
        string keys = (await ToolRun.SucceedAsync("query", Dir, "--vector", "[1, 0]")).Output;
        Assert.That(all, Does.Contain("year=1999").And.Contain("hello").And.Not.Contain("vector"));
        Assert.That(keys, Does.Not.Contain("1999").And.Not.Contain("hello"));
    }

    [Test]
    public async Task A_file_of_vectors_becomes_an_index_with_rows_as_keys()
    {
        SmallIndex small = await SmallIndex.SharedAsync();
        await ToolRun.SucceedAsync("create", Dir, "--dimension", "16", "--metric", "l2");
        ToolRun upsert = await ToolRun.SucceedAsync("upsert", Dir, "--vectors", small.Base);
        Assert.That(upsert.Output, Does.Contain($"{SmallIndex.Points} records written, {SmallIndex.Points} in the collection"));

        JsonObject status = await ToolRun.JsonAsync("status", Dir);
        Assert.That(((int)status["records"]!, (int)status["waiting_writes"]!, (int)status["generation_vectors"]!),
            Is.EqualTo((SmallIndex.Points, 0, SmallIndex.Points)));
        JsonObject[] hits = await RowsAsync("query", Dir, "--vectors", small.Query, "-k", "3");
        Assert.That(hits.Select(hit => ((int)hit["query"]!, (int)hit["rank"]!)),
            Is.EqualTo(Enumerable.Range(0, 3 * SmallIndex.Queries).Select(i => (i / 3, (i % 3) + 1))));
        JsonObject[] near = await RowsAsync("query", Dir, "--key", "5", "-k", "4");
        Assert.That(near, Has.Length.EqualTo(4));
        Assert.That(near.Select(hit => (int)hit["key"]!), Has.None.EqualTo(5));
    }

    [Test]
    public async Task An_exported_index_becomes_a_collection_with_the_same_keys()
    {
        SmallIndex small = await SmallIndex.SharedAsync();
        await ToolRun.SucceedAsync("export", "--index", small.Index, "--out", _folder["out"], "--with-graph", "off");
        await ToolRun.SucceedAsync("create", Dir, "--dimension", "16", "--metric", "l2", "--key-type", "int");
        await ToolRun.SucceedAsync("upsert", Dir, "--vectors", _folder["out.vectors.fbin"], "--keys", _folder["out.keys.npy"]);
        string[] get = ["--key", $"0,{SmallIndex.Points - 1}"];
        string index = (await ToolRun.SucceedAsync(["get", "--index", small.Index, .. get])).Output;
        string collection = (await ToolRun.SucceedAsync(["get", Dir, .. get])).Output;
        Assert.That(Components(collection), Is.EqualTo(Components(index)));

        static string[] Components(string output) => [.. output.Split('\n').Where(line => line.Contains("yes", StringComparison.Ordinal))
            .Select(line => line.Split('│')[3].Trim())];
    }

    [Test]
    public async Task Keys_may_come_from_a_file()
    {
        SmallIndex small = await SmallIndex.SharedAsync();
        await ToolRun.SucceedAsync("create", Dir, "--dimension", "16", "--metric", "l2", "--key-type", "string");
        await File.WriteAllLinesAsync(_folder["keys"], Enumerable.Range(0, SmallIndex.Points).Select(row => $"key, {row}"));
        await ToolRun.SucceedAsync("upsert", Dir, "--vectors", small.Base, "--keys", _folder["keys"]);
        await File.WriteAllLinesAsync(_folder["deleted"], ["key, 3", "key, 3", "no key"]);
        ToolRun delete = await ToolRun.SucceedAsync("delete", Dir, "--keys", _folder["deleted"]);
        Assert.That(delete.Output, Does.Contain($"1 of 3 keys deleted, {SmallIndex.Points - 1} records"));

        await File.AppendAllLinesAsync(_folder["keys"], ["one more"]);
        (await ToolRun.RunAsync("upsert", Dir, "--vectors", small.Base, "--keys", _folder["keys"]))
            .AssertFailed(ExitCodes.BadInput, "found more");
        await File.WriteAllLinesAsync(_folder["keys"], ["one"]);
        (await ToolRun.RunAsync("upsert", Dir, "--vectors", small.Base, "--keys", _folder["keys"]))
            .AssertFailed(ExitCodes.BadInput, "found 1");
    }

    [Test]
    public async Task A_backup_is_restored_as_it_was()
    {
        await CreateFullAsync(Dir);
        await UpsertAsync("""{"key": 1, "vector": [1, 0], "payload": "old"}""");
        await ToolRun.SucceedAsync("compact", Dir);
        await UpsertAsync("""{"key": 2, "vector": [0, 1], "payload": "waits"}""");
        Assert.That((await ToolRun.SucceedAsync("backup", Dir, _folder["backup"])).Output, Does.Contain("a collection of 2 records"));
        await UpsertAsync("""{"key": 1, "vector": [1, 0], "payload": "new"}""");

        (await ToolRun.RunAsync("restore", _folder["backup"], Dir)).AssertFailed(ExitCodes.CannotReadOrWrite, "is empty");
        await ToolRun.SucceedAsync("restore", _folder["backup"], _folder["restored"]);
        JsonObject[] records = await RowsAsync("get", _folder["restored"], "--key", "1,2");
        Assert.That(records.Select(record => (string)record["payload"]!), Is.EqualTo(new[] { "old", "waits" }));
        Assert.That((await ToolRun.SucceedAsync("verify", _folder["restored"])).Output, Does.Contain("no defects"));
    }

    [Test]
    public async Task Compact_says_what_it_has_done()
    {
        await CreateFullAsync(Dir);
        Assert.That((await ToolRun.SucceedAsync("compact", Dir)).Output, Does.Contain("nothing to do"));
        await UpsertAsync("""{"key": 1, "vector": [1, 0]}""");
        Assert.That((await ToolRun.SucceedAsync("compact", Dir)).Output, Does.Contain("1 writes taken in, 1 records in generation 1"));
    }

    [Test]
    public async Task Inspect_and_verify_know_a_collection()
    {
        await CreateFullAsync(Dir);
        string empty = (await ToolRun.SucceedAsync("inspect", Dir)).Output;
        Assert.That(empty, Does.Contain("collection").And.Contain("attribute year").And.Contain("no index yet"));
        await UpsertAsync(
            """{"key": 1, "vector": [1, 0], "payload": "text", "attributes": {"year": 4}}""", """{"key": 2, "vector": [0, 1]}""");
        Assert.That((await ToolRun.SucceedAsync("verify", Dir)).Output, Does.Contain("no defects"), "a log alone");
        await ToolRun.SucceedAsync("compact", Dir);
        string inspected = (await ToolRun.SucceedAsync("inspect", "--index", Dir)).Output;
        Assert.That(inspected, Does.Contain("generation-000001").And.Contain("vectors"));
        Assert.That(inspected, Does.Contain("columns-000001.vp").And.Contain("records-000001.vp").And.Contain("checkpoints"));
        Assert.That((await ToolRun.SucceedAsync("verify", "--index", Dir)).Output, Does.Contain("no defects"));
    }

    [TestCase("nodes", "nodes-")]
    [TestCase("records", "records-")]
    [TestCase("columns", "columns-")]
    [TestCase("log", "log-")]
    public async Task A_damaged_file_of_a_collection_fails_verification(string what, string prefix)
    {
        await CreateFullAsync(Dir);
        await UpsertAsync(
        [
            .. Enumerable.Range(1, 20).Select(
                i => $$"""{"key": {{i}}, "vector": [1, {{i}}], "attributes": {"year": {{i}}}, "payload": "text"}"""),
        ]);
        await ToolRun.SucceedAsync("compact", Dir);
        await UpsertAsync("""{"key": 21, "vector": [1, 0]}""");
        await UpsertAsync("""{"key": 22, "vector": [1, 0]}""");
        string file = Directory.EnumerateFiles(Dir, $"{prefix}*", SearchOption.AllDirectories).Single();
        byte[] bytes = await File.ReadAllBytesAsync(file);

        // The first block of the log above the checkpoint, or a page behind the header.
        int at = what == "log" ? Array.FindIndex(bytes, 4096, value => value != 0) + 60 : 4096 + 100;
        bytes[at] ^= 1;
        await File.WriteAllBytesAsync(file, bytes);
        ToolRun run = await ToolRun.RunAsync("verify", Dir);
        run.AssertFailed(ExitCodes.FailedVerification, "found defects: 1");
        Assert.That(run.Output, Does.Contain(Path.GetFileName(file)));
    }

    [TestCase("""{"vector": [1, 0]}""", "found no key")]
    [TestCase("""{"key": 1}""", "found no vector")]
    [TestCase("""{"key": -1, "vector": [1, 0]}""", "expected a key of type ulong; found '-1'")]
    [TestCase("""{"key": 1, "vector": [1]}""", "a list of 2 numbers; found 1")]
    [TestCase("""{"key": 1, "vector": [0, 0]}""", "zero")]
    [TestCase("""{"key": 1, "vector": ["1", 0]}""", "component 0; found \"1\"")]
    [TestCase("""{"key": 1, "vector": [1, 0], "attributes": {"age": 1}}""", "attributes of the schema; found 'age'")]
    [TestCase("""{"key": 1, "vector": [1, 0], "attributes": {"year": 1.5}}""", "a long as attribute 'year'; found 1.5")]
    [TestCase("""{"key": 1, "vector": [1, 0], "colour": 1}""", "found 'colour'")]
    [TestCase("[]", "an object of JSON")]
    [TestCase("no JSON", "an object of JSON")]
    [TestCase("""{"key": 1, "vector": [1, 0], "payload": "\ud83d"}""", "half of a character in \"\\ud83d\"")]
    [TestCase("""{"key": "\udc00", "vector": [1, 0]}""", "half of a character")]
    [TestCase("""{"key": 1, "vector": [1, 0], "attributes": {"name": "\udc00"}}""", "half of a character")]
    public async Task A_bad_line_is_named_and_the_lines_before_it_are_written(string line, string expected)
    {
        await CreateFullAsync(Dir);
        string[] lines = ["""{"key": 7, "vector": [1, 0]}""", "", line, """{"key": 8, "vector": [1, 0]}"""];
        await File.WriteAllLinesAsync(_folder["lines"], lines);
        ToolRun run = await ToolRun.RunAsync("upsert", Dir, "--records", _folder["lines"]);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain("line 3").And.Contain("Records written: 1"));
        Assert.That((await ToolRun.RunAsync("get", Dir, "--key", "7,8")).Output, Does.Contain("1 of 2 keys found"));
    }

    [Test]
    public async Task Bad_options_are_refused()
    {
        await CreateFullAsync(Dir);
        await RefusedAsync("DIR", "create", Dir, "--dimension", "2");
        await RefusedAsync("--dimension", "create", _folder["x"], "--dimension", "0");
        await RefusedAsync("ulong, long, int, guid, string", "create", _folder["x"], "--dimension", "2", "--key-type", "float");
        await RefusedAsync("--attribute", "create", _folder["x"], "--dimension", "2", "--attribute", "year");
        await RefusedAsync("strings", "create", _folder["x"], "--dimension", "2", "--attribute", "year:date");
        await RefusedAsync("dimension", "create", _folder["x"]);
        await RefusedAsync("--keys", "upsert", Dir, "--keys", "x");
        await RefusedAsync("--records", "upsert", Dir, "--records", "x", "--vectors", "y");
        await RefusedAsync("--key", "delete", Dir);
        await RefusedAsync("--key", "delete", Dir, "--key", "x");
        await RefusedAsync("one of --vector", "query", Dir);
        await RefusedAsync("-k", "query", Dir, "--vector", "[1, 0]", "-k", "0");
        await RefusedAsync("--within", "query", Dir, "--vector", "[1, 0]", "--within", "NaN");
        await RefusedAsync("--max-reads", "query", Dir, "--vector", "[1, 0]", "--max-reads", "0");
        await RefusedAsync("--deadline-ms", "query", Dir, "--vector", "[1, 0]", "--deadline-ms", "0");
        await RefusedAsync("list of 2 numbers; found 1", "query", Dir, "--vector", "[1]");
        await RefusedAsync("no JSON", "query", Dir, "--vector", "1 2");
        await RefusedAsync("year", "query", Dir, "--vector", "[1, 0]", "--filter", "yaer == 1");
        await RefusedAsync("value", "query", Dir, "--vector", "[1, 0]", "--filter", "year == ");
        await RefusedAsync("--include", "query", Dir, "--vector", "[1, 0]", "--include", "everything");
        await RefusedAsync("--index", "verify", Dir, "--index", Dir);
        Assert.That(Directory.Exists(_folder["x"]), Is.False);
        (await ToolRun.RunAsync("query", _folder["none"], "--vector", "[1]"))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "expected a collection");
    }

    [Test]
    public async Task A_collection_that_another_holds_can_be_read_and_not_written()
    {
        await CreateFullAsync(Dir);
        await UpsertAsync("""{"key": 1, "vector": [1, 0]}""");
        await using var held = await VectorCollection<ulong>.OpenAsync(Dir);
        Assert.That((await ToolRun.SucceedAsync("status", Dir)).Output, Does.Contain("records"));
        Assert.That(await RowsAsync("query", Dir, "--key", "1"), Is.Empty);
        (await ToolRun.RunAsync("delete", Dir, "--key", "1")).AssertFailed(ExitCodes.CannotReadOrWrite, "another");
    }

    private static async Task CreateFullAsync(string directory) => await ToolRun.SucceedAsync(
        "create", directory, "--dimension", "2", "--attribute",
        "good:bool,year:long,weight:double,name:string,id:guid,at:time,tags:strings");

    private static async Task RefusedAsync(string expected, params string[] args) =>
        (await ToolRun.RunAsync(args)).AssertFailed(ExitCodes.BadInput, expected);

    private static string Json(string text) => JsonNode.Parse(text)!.ToJsonString();

    private async Task UpsertAsync(params string[] records)
    {
        await File.WriteAllLinesAsync(_folder["records"], records);
        await ToolRun.SucceedAsync("upsert", Dir, "--records", _folder["records"]);
    }

    private static async Task<JsonObject[]> RowsAsync(params string[] args) =>
    [
        .. (await ToolRun.SucceedAsync([.. args, "--format", "json"])).Output
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonNode.Parse(line)!.AsObject()),
    ];
}
