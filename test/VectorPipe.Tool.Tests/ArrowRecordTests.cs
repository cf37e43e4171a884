using Apache.Arrow;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Records and attributes from Arrow files and streams.</summary>
public sealed class ArrowRecordTests
{
    private SmallCollection? _small;

    private SmallCollection Small => _small!;

    [TearDown]
    public void RemoveCollection() => _small?.Dispose();

    [TestCase("records.arrow")]
    [TestCase("records.arrows")]
    public async Task Columns_become_keys_vectors_payloads_and_attributes(string name)
    {
        _small = await SmallCollection.CreateAsync("string");
        TestArrow.Write(
            Small[name], [.. Columns(["a", "b"], [0.5f, 1, 0, 2], [1, null], ["x", null], [["u"], []])],
            [.. Columns(["c"], [-1, 3], [3], [""], [["v", "w"]])]);
        ToolRun run = await ToolRun.SucceedAsync("upsert", Small.Dir, "--records", Small[name]);
        Assert.That(run.Output, Does.Contain("3 records written, 3 in the collection"));
        Assert.That((await Small.ScanAsync()).Select(record => record.ToJsonString()), Is.EqualTo(new[]
        {
            """{"key":"a","vector":[0.5,1],"attributes":{"tags":["u"],"year":1},"payload":"x"}""",
            """{"key":"b","vector":[0,2],"attributes":{"tags":[]},"payload":""}""",
            """{"key":"c","vector":[-1,3],"attributes":{"tags":["v","w"],"year":3},"payload":""}""",
        }));
    }

    [Test]
    public async Task Types_of_Arrow_become_those_of_attributes()
    {
        _small = await SmallCollection.CreateAsync();
        var id = new Guid("0b1ad3ab-4e3c-4d1c-9c0a-000000000001");
        TestArrow.Write(
            Small["attributes.arrow"],
            [
                ("good", new BooleanArray.Builder().Append(true).Append(false).AppendNull().Build()),
                ("weight", new FloatArray.Builder().Append(0.5f).AppendNull().Append(2).Build()),
                ("name", TestArrow.Texts("a", null, "c")), ("id", TestArrow.Texts($"{id}", null, null)),
                ("at", new TimestampArray.Builder().Append(DateTimeOffset.UnixEpoch).AppendNull().AppendNull().Build()),
            ]);
        await ToolRun.SucceedAsync("upsert", Small.Dir, "--vectors", Small.Vectors, "--attributes", Small["attributes.arrow"]);
        string[] attributes = await Small.ScanAttributesAsync();
        Assert.That(attributes[0], Does.Contain("\"good\":true").And.Contain("\"weight\":0.5").And.Contain($"\"id\":\"{id}\"")
            .And.Contain("\"at\":\"1970-01-01T00:00:00"));
        Assert.That(attributes[1..], Is.EqualTo(new[] { """{"good":false}""", """{"name":"c","weight":2}""" }));
    }

    [Test]
    public async Task Attributes_must_be_as_many_as_vectors()
    {
        _small = await SmallCollection.CreateAsync();
        TestArrow.Write(Small["attributes.arrow"], [("year", TestArrow.Longs(1, 2))]);
        (await ToolRun.RunAsync("upsert", Small.Dir, "--vectors", Small.Vectors, "--attributes", Small["attributes.arrow"]))
            .AssertFailed(ExitCodes.BadInput, "--attributes: expected 3 rows, one for each vector; found 2");
    }

    [Test]
    public async Task A_column_of_keys_is_read_only_where_it_gives_the_keys()
    {
        _small = await SmallCollection.CreateAsync();
        TestArrow.Write(Small["texts.arrow"], [("key", TestArrow.Texts("a", "b")), ("vector", TestArrow.Pairs(0, 1, 2, 3))]);
        await File.WriteAllLinesAsync(Small["keys"], ["5", "6"]);
        await ToolRun.SucceedAsync("upsert", Small.Dir, "--vectors", Small["texts.arrow"], "--keys", Small["keys"]);
        ToolRun query = await ToolRun.SucceedAsync("query", Small.Dir, "--vectors", Small["texts.arrow"], "-k", "1", "--format", "csv");
        Assert.That(query.Output, Does.Contain("5").And.Contain("6"));
        (await ToolRun.RunAsync("upsert", Small.Dir, "--vectors", Small["texts.arrow"])).AssertFailed(ExitCodes.BadInput, "found 'a'");
    }

    [Test]
    public async Task Keys_that_are_no_integers_come_with_records()
    {
        _small = await SmallCollection.CreateAsync();
        using var folder = new TempFolder();
        await ToolRun.SucceedAsync("create", folder["texts"], "--dimension", "2", "--key-type", "string");
        TestArrow.Write(folder["texts.arrow"], [("key", TestArrow.Texts("a", "b")), ("vector", TestArrow.Pairs(0, 1, 2, 3))]);
        (await ToolRun.RunAsync("upsert", folder["texts"], "--vectors", folder["texts.arrow"]))
            .AssertFailed(ExitCodes.BadInput, "--vectors: expected integers as keys; --records takes keys of any type from the file");
        await ToolRun.SucceedAsync("upsert", folder["texts"], "--records", folder["texts.arrow"]);
    }

    [Test]
    public async Task A_truncated_file_is_refused_before_anything_is_written()
    {
        _small = await SmallCollection.CreateAsync();
        TestArrow.Write(Small["records.arrow"], [("key", TestArrow.Longs(1, 2)), ("vector", TestArrow.Pairs(0, 1, 2, 3))]);
        byte[] whole = await File.ReadAllBytesAsync(Small["records.arrow"]);
        await File.WriteAllBytesAsync(Small["records.arrow"], whole[..(whole.Length / 2)]);
        (await ToolRun.RunAsync("upsert", Small.Dir, "--records", Small["records.arrow"]))
            .AssertFailed(ExitCodes.BadInput, "expected an Arrow file or stream");
        Assert.That((await ToolRun.SucceedAsync("count", Small.Dir)).Output.Trim(), Is.EqualTo("0"));
    }

    private static (string, IArrowArray)[] Columns(
        string[] keys, float[] vectors, long?[] years, string?[] payloads, string[][] tags) =>
    [
        ("key", TestArrow.Texts(keys)), ("vector", TestArrow.Pairs(vectors)), ("year", TestArrow.Longs(years)),
        ("payload", TestArrow.Texts(payloads)), ("tags", TestArrow.TextLists(tags)),
    ];
}
