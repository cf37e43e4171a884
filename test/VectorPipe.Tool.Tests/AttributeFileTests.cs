using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Attributes of a file of vectors, from lines of JSON and from columns of Parquet.</summary>
public sealed class AttributeFileTests
{
    private static readonly Guid _id = new("0b1ad3ab-4e3c-4d1c-9c0a-000000000001");
    private static readonly DateTime _at = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    private SmallCollection _small = null!;

    private string File => _small["attributes.parquet"];

    [SetUp]
    public async Task CreateCollectionAsync() => _small = await SmallCollection.CreateAsync();

    [TearDown]
    public void RemoveCollection() => _small.Dispose();

    [Test]
    public async Task Lines_of_JSON_are_attributes_of_the_vectors_in_their_order()
    {
        string[] lines = ["""{"year":2024,"tags":["a","b"],"name":null}""", "null", """{"good":true,"weight":0.5}""", ""];
        await UpsertLinesAsync(".jsonl", lines);
        Assert.That(await _small.ScanAttributesAsync(), Is.EqualTo(new[]
        {
            """{"tags":["a","b"],"year":2024}""", "{}", """{"good":true,"weight":0.5}""",
        }));
        string found = (await ToolRun.SucceedAsync("count", _small.Dir, "--filter", "tags contains 'a'")).Output;
        Assert.That(found.Trim(), Is.EqualTo("1"), "attributes are those of the index, too");
    }

    [TestCase(".ndjson")]
    [TestCase(".JSON")]
    public async Task Other_names_of_files_of_lines_are_known(string extension)
    {
        await UpsertLinesAsync(extension, "{}", """{"year":1}""", "{}");
        Assert.That(await _small.ScanAttributesAsync(), Is.EqualTo(new[] { "{}", """{"year":1}""", "{}" }));
    }

    [TestCase("{", "line 2: expected an object of JSON")]
    [TestCase("", "line 2: expected an object of JSON")]
    [TestCase("[]", "line 2: expected an object of attributes; found Array")]
    [TestCase("""{"age":1}""", "line 2: expected attributes of the schema; found 'age'")]
    [TestCase("""{"year":"1"}""", "line 2: expected a long as attribute 'year'; found \"1\"")]
    [TestCase("""{"id":"x"}""", "line 2: expected a guid as attribute 'id'; found \"x\"")]
    public async Task A_bad_line_is_named_and_the_vectors_before_it_are_written(string line, string expected)
    {
        (await RunLinesAsync("""{"year":7}""", line, "{}")).AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(await _small.ScanAttributesAsync(), Is.EqualTo(new[] { """{"year":7}""" }));
    }

    [Test]
    public async Task Lines_must_be_as_many_as_vectors()
    {
        (await RunLinesAsync("{}", "{}")).AssertFailed(
            ExitCodes.BadInput, "--attributes: expected 3 lines, one for each vector; found 2 in");
        ToolRun more = await RunLinesAsync("{}", "{}", "{}", "{}");
        more.AssertFailed(ExitCodes.BadInput, "--attributes: expected 3 lines, one for each vector; found more in");
        Assert.That(more.Error, Does.Contain("Records written: 3"));
    }

    [Test]
    public async Task Columns_of_Parquet_are_attributes_of_their_names()
    {
        await TestParquet.WriteAsync(
            File, 2,
            TestColumn.Of<bool>("good", true, null, false), TestColumn.Of<long>("year", 2024, null, -1),
            TestColumn.Of<double>("weight", 0.5, null, double.NaN), TestColumn.Texts("name", "ä", null, ""),
            TestColumn.Of<Guid>("id", _id, null, _id),
            TestColumn.Of<DateTime>("at", _at, null, _at.AddHours(1)), TestColumn.TextLists("tags", ["b", "a", "b"], null, []));
        await UpsertAsync();
        string[] attributes = await _small.ScanAttributesAsync();
        Assert.That(Json(attributes[0]), Is.EqualTo(Json(
            $$"""
            {
              "at": "2024-05-06T07:08:09.0000000+00:00", "good": true, "id": "{{_id}}", "name": "ä", "tags": ["a", "b"], "weight": 0.5,
              "year": 2024
            }
            """)));
        Assert.That(attributes[1], Is.EqualTo("{}"));
        Assert.That(Json(attributes[2]), Is.EqualTo(Json(
            $$"""
            {
              "at": "2024-05-06T08:08:09.0000000+00:00", "good": false, "id": "{{_id}}", "name": "", "tags": [], "weight": "NaN",
              "year": -1
            }
            """)));

        static string Json(string text) => JsonNode.Parse(text)!.ToJsonString();
    }

    [Test]
    public async Task Integers_of_all_widths_floats_and_texts_of_Guids_are_converted()
    {
        TestColumn[] years =
        [
            TestColumn.Of<sbyte>("year", -7, null, 7), TestColumn.Of<byte>("year", 7, null, 7), TestColumn.Of<short>("year", -7, null, 7),
            TestColumn.Of<ushort>("year", 7, null, 7), TestColumn.Of<int>("year", -7, null, 7), TestColumn.Of<uint>("year", 7, null, 7),
            TestColumn.Of<ulong>("year", 7, null, long.MaxValue), TestColumn.Required<int>("year", 1, 2, 3),
        ];
        for (int i = 0; i < years.Length; i++)
        {
            await TestParquet.WriteAsync(
                File, 3, TestColumn.Of<int>("key", 10 + (3 * i), 11 + (3 * i), 12 + (3 * i)),
                TestColumn.Lists<float>("vector", [0, 1], [0, 1], [0, 1]), years[i],
                TestColumn.Of<float>("weight", 0.5f, 0.5f, 0.5f), TestColumn.Texts("id", $"{_id}", $"{_id}", $"{_id}"));
            await ToolRun.SucceedAsync("upsert", _small.Dir, "--records", File);
        }

        JsonObject[] attributes = [.. (await _small.ScanAsync()).Select(record => record["attributes"]!.AsObject())];
        Assert.That(attributes.Select(row => (long?)row["year"]), Is.EqualTo(new long?[]
        {
            -7, null, 7, 7, null, 7, -7, null, 7, 7, null, 7, -7, null, 7, 7, null, 7, 7, null, long.MaxValue, 1, 2, 3,
        }));
        Assert.That(attributes.Select(row => (double)row["weight"]!), Is.All.EqualTo(0.5));
        Assert.That(attributes.Select(row => (Guid)row["id"]!), Is.All.EqualTo(_id));
    }

    [Test]
    public async Task Columns_are_checked_before_anything_is_written()
    {
        await RefusedAsync("expected columns of the attributes that the schema has (good, year", TestColumn.Of<int>("age", 1, 2, 3));
        await RefusedAsync("found 'age'", TestColumn.Of<int>("age", 1, 2, 3));
        await RefusedAsync("expected 3 rows, one for each vector; found 2 in", TestColumn.Of<int>("year", 1, 2));
        await RefusedAsync("expected 3 rows, one for each vector; found 4 in", TestColumn.Of<int>("year", 1, 2, 3, 4));
        await RefusedAsync(
            "expected integers in column 'year', as the attribute is a long; found double", TestColumn.Of<double>("year", 1, 2, 3));
        await RefusedAsync("expected truth values in column 'good'", TestColumn.Of<int>("good", 1, 0, 1));
        await RefusedAsync("expected floating-point numbers in column 'weight'", TestColumn.Of<int>("weight", 1, 0, 1));
        await RefusedAsync("expected strings in column 'name'", TestColumn.Bytes("name", [1], [2], [3]));
        await RefusedAsync("expected strings or UUIDs in column 'id'", TestColumn.Of<int>("id", 1, 0, 1));
        await RefusedAsync("expected timestamps in column 'at'", TestColumn.Texts("at", "2024-05-06", null, null));
        await RefusedAsync("expected lists of strings in column 'tags'", TestColumn.Texts("tags", "a", "b", "c"));
        await RefusedAsync("a strings; found list of int32", TestColumn.Lists<int>("tags", [1], [2], [3]));
        await RefusedAsync("expected strings in column 'name', as the attribute is a string; found list of string",
            TestColumn.TextLists("name", ["a"], ["b"], ["c"]));
    }

    [Test]
    public async Task A_value_that_does_not_fit_is_named_and_the_vectors_before_it_are_written()
    {
        await TestParquet.WriteAsync(File, 1, TestColumn.Texts("id", $"{_id}", "no Guid", null));
        ToolRun text = await RunAsync();
        text.AssertFailed(ExitCodes.BadInput, "row 1, column 'id': expected a guid; found 'no Guid'. Records written: 1.");
        await TestParquet.WriteAsync(File, 3, TestColumn.Of<ulong>("year", 1, 2, ulong.MaxValue));
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "row 2, column 'year': expected an integer of at most");
        await TestParquet.WriteAsync(File, 3, TestColumn.TextLists("tags", ["a"], ["a", null], []));
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "row 1, column 'tags': expected a list without null; found one with null");
    }

    [Test]
    public async Task A_damaged_file_is_refused()
    {
        await System.IO.File.WriteAllBytesAsync(File, []);
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "expected a file of Parquet");
        await System.IO.File.WriteAllTextAsync(File, """{"year": 1}""");
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "expected a file of Parquet");
        (await ToolRun.RunAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", _small["none.parquet"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "none.parquet");

        await TestParquet.WriteAsync(File, 3, TestColumn.Of<long>("year", 1, 2, 3), TestColumn.Texts("name", "a", "b", "c"));
        byte[] whole = await System.IO.File.ReadAllBytesAsync(File);
        for (int length = whole.Length - 1; length > 0; length -= 31)
        {
            await System.IO.File.WriteAllBytesAsync(File, whole[..length]);
            (await RunAsync()).AssertFailed(ExitCodes.BadInput, "expected a file of Parquet");
        }

        // The pages of the first column; the footer is as it was.
        byte[] damaged = [.. whole];
        damaged.AsSpan(4, 40).Fill(0xff);
        await System.IO.File.WriteAllBytesAsync(File, damaged);
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "row group 0, column 'year': expected pages that can be read; found others");
        Assert.That(await _small.ScanAsync(), Is.Empty);
    }

    [Test]
    public async Task Bad_options_are_refused()
    {
        (await ToolRun.RunAsync("upsert", _small.Dir, "--attributes", "a.jsonl"))
            .AssertFailed(ExitCodes.BadInput, "--attributes: expected none without --vectors");
        (await ToolRun.RunAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", "a.csv")).AssertFailed(
            ExitCodes.BadInput,
            "--attributes: expected a file whose name ends in .jsonl, .ndjson, .json, .parquet, .arrow, .arrows, .feather or .ipc; "
            + "found 'a.csv'");
        (await ToolRun.RunAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", _small["none.jsonl"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "none.jsonl");
    }

    private async Task RefusedAsync(string expected, params TestColumn[] columns)
    {
        await TestParquet.WriteAsync(File, 3, columns);
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, expected);
        Assert.That((await ToolRun.SucceedAsync("count", _small.Dir)).Output.Trim(), Is.EqualTo("0"));
    }

    private Task<ToolRun> RunAsync() => ToolRun.RunAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", File);

    private Task<ToolRun> UpsertAsync() => ToolRun.SucceedAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", File);

    private async Task<ToolRun> RunLinesAsync(params string[] lines)
    {
        await System.IO.File.WriteAllLinesAsync(_small["lines.jsonl"], lines);
        return await ToolRun.RunAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", _small["lines.jsonl"]);
    }

    private async Task UpsertLinesAsync(string extension, params string[] lines)
    {
        await System.IO.File.WriteAllLinesAsync(_small[$"lines{extension}"], lines);
        await ToolRun.SucceedAsync("upsert", _small.Dir, "--vectors", _small.Vectors, "--attributes", _small[$"lines{extension}"]);
    }
}
