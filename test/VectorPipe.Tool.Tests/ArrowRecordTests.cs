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
