using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Results as tables, JSON and CSV.</summary>
public sealed class FormatTests
{
    private static readonly (string Verb, string Names)[] _documents =
    [
        ("generate --out {0}/g --points 20 --queries 2 --dimension 4 -k 2", "base,query,truth"),
        ("build --base {7} --out {0}/{2} --threads 2", "name,wall_seconds,cpu_seconds"),
        ("build --base {1} --out {0}/none --plan", "name,memory_bytes,scratch_bytes,estimated_seconds"),
        ("truth --base {1} --query {1} --out {0}/t.bin -k 1", "truth,queries,k"),
        ("inspect {3}", "property,value"),
        ("inspect {4}", "property,value"),
        ("verify {3}", "pages,defects"),
        ("calibrate --index {6} --queries 100", "threshold,recall,reads"),
        ("import --prefix {0}/ann --out {0}/{2}-import", "name,wall_seconds,cpu_seconds"),
        ("export --index {3} --out {0}/{2}-export", "file"),
        ("create {0}/{2}-collection --dimension 2", "directory,dimension,type,metric,key_type,attributes"),
        ("upsert {4} --records {5}", "written,records"),
        ("delete {4} --key 9", "deleted,keys,records"),
        ("count {4}", "count"),
        ("status {4}", "records,waiting_writes,waiting_bytes,generation,generation_vectors,checkpoints,memory_bytes,device,"
            + "device_fallback,sequence"),
        ("backup {4} {0}/{2}-backup", "directory,records"),
        ("restore {4} {0}/{2}-restored", "directory,records"),
        ("compact {0}/{2}-restored", "taken_in,records,generation"),
    ];

    private readonly TempFolder _folder = new();
    private SmallIndex _small = null!;
    private SmallCollection _collection = null!;

    // Others read the shared index: a calibration would change it.
    private string Calibrated => _folder["calibrated"];

    [OneTimeSetUp]
    public async Task BuildIndex()
    {
        _small = await SmallIndex.SharedAsync();
        _collection = await SmallCollection.CreateAsync();
        await File.WriteAllLinesAsync(
            _collection["records"],
            [
                """{"key": 1, "vector": [0.5, 1], "attributes": {"name": "a, \"b\"", "year": 1999}, "payload": "x"}""",
                """{"key": 2, "vector": [0, 2], "payload_base64": "/w=="}""",
            ]);
        await ToolRun.SucceedAsync("upsert", _collection.Dir, "--records", _collection["records"]);
        _small.CopyTo(Calibrated);
        TinyDiskAnn.Write(_folder["ann"]);
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder["few/"], "--points", "200", "--queries", "1", "--dimension", "16", "--type", "float32", "-k", "1");
    }

    [OneTimeTearDown]
    public void RemoveFiles()
    {
        _folder.Dispose();
        _collection?.Dispose();
    }

    [Test]
    public async Task Standard_output_holds_the_document_alone([ValueSource(nameof(_documents))] (string Verb, string Names) document)
    {
        JsonNode? json = JsonNode.Parse((await ToolRun.SucceedAsync(Arguments(document.Verb, "json", "--format", "json"))).Output);
        ToolRun csv = await ToolRun.SucceedAsync(Arguments(document.Verb, "csv", "--format", "CSV"));
        string[] lines = csv.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.That(json, Is.TypeOf<JsonObject>());
        Assert.That(lines, Has.Length.GreaterThan(1));
        Assert.That(lines[0], Is.EqualTo(document.Names));
    }

    [Test]
    public async Task Records_are_lines_of_csv()
    {
        ToolRun scan = await ToolRun.SucceedAsync("scan", _collection.Dir, "--vectors", "--format", "csv");
        string[] lines = scan.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.That(lines.Order(StringComparer.Ordinal), Is.EqualTo(new[]
        {
            """1,"[0.5,1]","{""name"":""a, \u0022b\u0022"",""year"":1999}",x,""",
            """2,"[0,2]",{},,/w==""",
            "key,vector,attributes,payload,payload_base64",
        }));
        ToolRun query = await ToolRun.SucceedAsync("query", _collection.Dir, "--vector", "[0, 2]", "-k", "1", "--format", "csv");
        Assert.That(query.Output.Split(Environment.NewLine), Is.EqualTo(new[] { "query,rank,key,score", "0,1,2,0", "" }));
        Assert.That(query.Error, Is.Empty);
        ToolRun none = await ToolRun.SucceedAsync("scan", _collection.Dir, "--filter", "year == 1", "--format", "csv");
        Assert.That(none.Output.Trim(), Is.EqualTo("key,attributes,payload,payload_base64"), "the names stand there without rows");
    }

    [Test]
    public async Task Vectors_of_an_index_are_lines_of_json()
    {
        ToolRun run = await ToolRun.RunAsync("get", _small.Index, "--key", "7,999999", "--format", "json", "--device", "memory");
        Assert.That(run.ExitCode, Is.EqualTo(ExitCodes.KeyNotFound));
        JsonNode row = JsonNode.Parse(run.Output)!;
        Assert.That(((ulong)row["key"]!, row["vector"]!.AsArray().Count), Is.EqualTo((7UL, 16)));
        Assert.That(run.Error.Trim(), Is.EqualTo("1 of 2 keys found"));
    }

    [Test]
    public async Task A_format_that_is_none_is_refused()
    {
        (await ToolRun.RunAsync("count", _collection.Dir, "--format", "xml")).AssertFailed(
            ExitCodes.BadInput, "--format: expected one of table, json, csv");
        (await ToolRun.RunAsync("scan", _collection.Dir, "--format", "table")).AssertFailed(
            ExitCodes.BadInput, "--format: expected json or csv");
    }

    [Test]
    public void Cells_of_csv_are_quoted_where_they_must_be() => Assert.That(
        CsvLine.Of(new JsonNode?[] { 1.5, null, "a,b", "say \"x\"", "two\nlines", true, new JsonArray(1, 2) }),
        Is.EqualTo("1.5,,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",true,\"[1,2]\""));

    private string[] Arguments(string verb, string run, params string[] more) =>
    [
        .. verb.Split(' ').Select(word => string.Format(
            null, word, _folder.Root, _small.Base, run, _small.Index, _collection.Dir, _collection["records"], Calibrated,
            _folder["few/base.fbin"])), .. more,
    ];
}
