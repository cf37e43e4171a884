using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Collections.Columns;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Records from files of Parquet.</summary>
public sealed class ParquetRecordTests
{
    private SmallCollection? _small;

    private SmallCollection Small => _small!;

    private string File => Small["records.parquet"];

    [TearDown]
    public void RemoveCollection() => _small?.Dispose();

    [Test]
    public async Task Columns_become_keys_vectors_payloads_and_attributes()
    {
        _small = await SmallCollection.CreateAsync("string");
        await TestParquet.WriteAsync(
            File, 2,
            TestColumn.TextLists("tags", ["x"], [], null), TestColumn.Texts("key", "a", "b", "c"),
            TestColumn.Lists<float>("vector", [0.5f, 1], [0, 2], [-1, 3]), TestColumn.Of<short>("year", 1, null, 3),
            TestColumn.Texts("payload", "ä", null, ""));
        Assert.That((await UpsertAsync()).Output, Does.Contain("3 records written, 3 in the collection"));
        Assert.That((await Small.ScanAsync()).Select(record => record.ToJsonString()), Is.EqualTo(new[]
        {
            """{"key":"a","vector":[0.5,1],"attributes":{"tags":["x"],"year":1},"payload":"\u00E4"}""",
            """{"key":"b","vector":[0,2],"attributes":{"tags":[]},"payload":""}""",
            """{"key":"c","vector":[-1,3],"attributes":{"year":3},"payload":""}""",
        }));
    }

    [Test]
    public async Task Payloads_may_be_bytes_and_may_be_absent()
    {
        _small = await SmallCollection.CreateAsync();
        await TestParquet.WriteAsync(
            File, 9, TestColumn.Of<int>("key", 1, 2), TestColumn.Lists<double>("vector", [0.5, 1], [0, 2]),
            TestColumn.Bytes("payload", [0xff], null));
        await UpsertAsync();
        JsonObject[] records = await Small.ScanAsync();
        Assert.That((string?)records[0]["payload_base64"], Is.EqualTo("/w=="));
        Assert.That((string?)records[1]["payload"], Is.Empty);

        await TestParquet.WriteAsync(File, 9, TestColumn.Of<int>("key", 3), TestColumn.Lists<double>("vector", [0.5, 1]));
        Assert.That((await UpsertAsync()).Output, Does.Contain("1 records written, 3 in the collection"));
    }

    [TestCase("float32", 10)]
    [TestCase("float16", 2)]
    [TestCase("uint8", 10)]
    [TestCase("int8", 2)]
    public async Task Lists_of_numbers_become_vectors_of_the_schema(string type, int columns)
    {
        _small = await SmallCollection.CreateAsync(type: type);
        TestColumn[] vectors =
        [
            TestColumn.Lists<float>("vector", [7, 1]), TestColumn.Lists<double>("vector", [7, 1]), TestColumn.Lists<int>("vector", [7, 1]),
            TestColumn.Lists<long>("vector", [7, 1]), TestColumn.Lists<sbyte>("vector", [7, 1]), TestColumn.Lists<byte>("vector", [7, 1]),
            TestColumn.Lists<short>("vector", [7, 1]), TestColumn.Lists<ushort>("vector", [7, 1]), TestColumn.Lists<uint>("vector", [7, 1]),
            TestColumn.Lists<ulong>("vector", [7, 1]),
        ];
        for (int i = 0; i < columns; i++)
        {
            await TestParquet.WriteAsync(File, 9, TestColumn.Of<int>("key", i), vectors[i]);
            await UpsertAsync();
        }

        Assert.That(
            (await Small.ScanAsync()).Select(record => record["vector"]!.ToJsonString()), Is.EqualTo(Enumerable.Repeat("[7,1]", columns)));
    }

    [TestCase("uint8", 256, "a uint8 as component 1; found '256'")]
    [TestCase("uint8", 0.5, "a uint8 as component 1; found '0.5'")]
    [TestCase("int8", -129, "a int8 as component 1; found '-129'")]
    [TestCase("int8", double.NaN, "a int8 as component 1; found 'NaN'")]
    [TestCase("float32", double.NaN, "row 1: ")]
    [TestCase("float32", 1e39, "row 1: ")]
    public async Task A_component_that_does_not_fit_is_named(string type, double component, string expected)
    {
        _small = await SmallCollection.CreateAsync(type: type);
        await TestParquet.WriteAsync(File, 9, TestColumn.Of<int>("key", 1, 2), TestColumn.Lists<double>("vector", [0, 1], [0, component]));
        ToolRun run = await RunAsync();
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain("Records written: 1"));
    }

    [TestCase("int")]
    [TestCase("string")]
    public async Task Integers_and_their_texts_are_keys(string keyType)
    {
        _small = await SmallCollection.CreateAsync(keyType);
        TestColumn[] keys =
        [
            TestColumn.Of<sbyte>("key", 0), TestColumn.Of<byte>("key", 1), TestColumn.Of<short>("key", 2), TestColumn.Of<ushort>("key", 3),
            TestColumn.Of<int>("key", 4), TestColumn.Of<uint>("key", 5), TestColumn.Of<long>("key", 6), TestColumn.Of<ulong>("key", 7),
            TestColumn.Texts("key", "8"),
        ];
        foreach (TestColumn key in keys)
        {
            await TestParquet.WriteAsync(File, 9, key, TestColumn.Lists<float>("vector", [0, 1]));
            await UpsertAsync();
        }

        Assert.That((await Small.ScanAsync()).Select(record => record["key"]!.ToString()), Is.EqualTo("012345678".Select(c => $"{c}")));
    }

    [Test]
    public async Task Guids_and_their_texts_are_keys()
    {
        _small = await SmallCollection.CreateAsync("guid");
        var id = new Guid("0b1ad3ab-4e3c-4d1c-9c0a-000000000001");
        foreach (TestColumn key in new[] { TestColumn.Of<Guid>("key", id), TestColumn.Texts("key", $"{id}") })
        {
            await TestParquet.WriteAsync(File, 9, key, TestColumn.Lists<float>("vector", [0, 1]));
            await UpsertAsync();
        }

        Assert.That((await Small.ScanAsync()).Select(record => (Guid)record["key"]!), Is.EqualTo(new[] { id }));
        await TestParquet.WriteAsync(File, 9, TestColumn.Texts("key", "x"), TestColumn.Lists<float>("vector", [0, 1]));
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "row 0, column 'key': expected a key of type guid; found 'x'");
    }

    [Test]
    public async Task Columns_are_checked_before_anything_is_written()
    {
        _small = await SmallCollection.CreateAsync();
        TestColumn key = TestColumn.Of<int>("key", 1), vector = TestColumn.Lists<float>("vector", [0, 1]);
        await RefusedAsync("expected a column 'key' of keys; found vector, year", vector, TestColumn.Of<int>("year", 1));
        await RefusedAsync("expected a column 'vector' of lists of numbers; found key", key);
        await RefusedAsync(
            "expected keys (integers, strings or UUIDs) in column 'key'; found double", TestColumn.Of<double>("key", 1), vector);
        await RefusedAsync("expected lists of numbers in column 'vector'; found float", key, TestColumn.Of<float>("vector", 1));
        await RefusedAsync(
            "expected lists of numbers in column 'vector'; found list of string", key, TestColumn.TextLists("vector", ["1"]));
        await RefusedAsync("expected strings or bytes in column 'payload'; found int32", key, vector, TestColumn.Of<int>("payload", 1));
        await RefusedAsync("found 'age'", key, vector, TestColumn.Of<int>("age", 1));
        await RefusedAsync("expected integers in column 'year'", key, vector, TestColumn.Texts("year", "1"));
    }

    [Test]
    public async Task A_row_without_key_or_whole_vector_is_named()
    {
        _small = await SmallCollection.CreateAsync();
        TestColumn keys = TestColumn.Of<int>("key", 1, 2), vectors = TestColumn.Lists<float>("vector", [0, 1], [0, 2]);
        await NamedAsync("row 1, column 'key': expected a key; found null", TestColumn.Of<int>("key", 1, null), vectors);
        await NamedAsync("row 1, column 'key': expected a key of type ulong; found '-1'", TestColumn.Of<int>("key", 1, -1), vectors);
        await NamedAsync(
            "row 1, column 'vector': expected a list of 2 numbers; found null", keys, TestColumn.Lists<float>("vector", [0, 1], null));
        await NamedAsync(
            "row 1, column 'vector': expected a list of 2 numbers; found 0", keys, TestColumn.Lists<float>("vector", [0, 1], []));
        await NamedAsync("expected a list of 2 numbers; found 3", keys, TestColumn.Lists<float>("vector", [0, 1], [0, 1, 2]));
        await NamedAsync("expected a list without null; found one with null", keys, TestColumn.Lists<float>("vector", [0, 1], [0, null]));
    }

    [Test]
    public async Task An_attribute_named_like_another_column_is_refused()
    {
        _small = await SmallCollection.CreateAsync();
        await ToolRun.SucceedAsync("create", Small["other"], "--dimension", "2", "--attribute", "payload:string");
        await TestParquet.WriteAsync(File, 9, TestColumn.Of<int>("key", 1), TestColumn.Lists<float>("vector", [0, 1]));
        (await ToolRun.RunAsync("upsert", Small["other"], "--records", File))
            .AssertFailed(ExitCodes.BadInput, "an attribute 'payload' in the schema");
    }

    [Test]
    public async Task A_truncated_file_is_refused()
    {
        _small = await SmallCollection.CreateAsync();
        await TestParquet.WriteAsync(File, 9, TestColumn.Of<int>("key", 1), TestColumn.Lists<float>("vector", [0, 1]));
        byte[] whole = await System.IO.File.ReadAllBytesAsync(File);
        await System.IO.File.WriteAllBytesAsync(File, whole[..(whole.Length / 2)]);
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, "expected a file of Parquet");
    }

    [Test]
    public async Task A_row_group_that_does_not_fit_into_memory_is_refused()
    {
        _small = await SmallCollection.CreateAsync();
        await TestParquet.WriteAsync(File, 2, TestColumn.Of<long>("year", [.. Enumerable.Range(0, 5).Select(i => (long?)i)]));
        await using ParquetFile file = await ParquetFile.OpenAsync(File, CancellationToken.None);
        IParquetColumn[] columns = [ParquetColumn.Create(file.Fields[0])!];
        Assert.That(() => file.RequireMemory(columns, 1 << 20), Throws.Nothing);
        Assert.That(
            () => file.RequireMemory(columns, 20),
            Throws.TypeOf<UsageException>().With.Message.Contains("write the file with smaller row groups"));
    }

    private async Task RefusedAsync(string expected, params TestColumn[] columns)
    {
        await TestParquet.WriteAsync(File, 9, columns);
        (await RunAsync()).AssertFailed(ExitCodes.BadInput, expected);
        Assert.That((await ToolRun.SucceedAsync("count", Small.Dir)).Output.Trim(), Is.EqualTo("0"));
    }

    private async Task NamedAsync(string expected, params TestColumn[] columns)
    {
        await TestParquet.WriteAsync(File, 1, columns);
        ToolRun run = await RunAsync();
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain("Records written: 1"));
    }

    private Task<ToolRun> RunAsync() => ToolRun.RunAsync("upsert", Small.Dir, "--records", File);

    private Task<ToolRun> UpsertAsync() => ToolRun.SucceedAsync("upsert", Small.Dir, "--records", File);
}
