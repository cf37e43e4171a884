using Apache.Arrow.Ipc;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Inputs;

/// <summary>Vectors from columns of Parquet and of compressed Arrow, for every option that names a file of vectors.</summary>
public sealed class ColumnInputTests
{
    private TempFolder _folder = null!;

    private string Index => _folder["index"];

    [SetUp]
    public void CreateFolder() => _folder = new TempFolder();

    [TearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task Parquet_is_base_queries_and_vectors_of_records()
    {
        string path = _folder["vectors.parquet"];
        await TestParquet.WriteAsync(
            path, groupRows: 2, TestColumn.Required<long>("key", 7, 8, 9), TestColumn.Lists<float>("vector", [1, 2], [3, 4], [5, 6]),
            TestColumn.Lists<double>("other", [5, 6], [3, 4], [1, 2]));
        await AssertBuiltAsync(path);
        Assert.That(await NearestAsync($"{path}:other"), Is.EqualTo(new[] { "9", "8", "7" }), "a column by its name");

        string collection = _folder["collection"];
        await ToolRun.SucceedAsync("create", collection, "--dimension", "2", "--metric", "l2");
        await ToolRun.SucceedAsync("upsert", collection, "--vectors", path);
        string[] records = (await ToolRun.SucceedAsync("scan", collection, "--vectors")).Output
            .Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries);
        Assert.That(records.Order(StringComparer.Ordinal), Is.EqualTo(new[]
        {
            """{"key":7,"vector":[1,2],"attributes":{},"payload":""}""", """{"key":8,"vector":[3,4],"attributes":{},"payload":""}""",
            """{"key":9,"vector":[5,6],"attributes":{},"payload":""}""",
        }));
    }

    [Test]
    public async Task Compressed_Arrow_is_read(
        [Values("vectors.feather", "vectors.arrows")] string name,
        [Values(CompressionCodecType.Lz4Frame, CompressionCodecType.Zstd)] CompressionCodecType codec)
    {
        TestArrow.Write(
            _folder[name], codec, [("key", TestArrow.Longs(7, 8)), ("vector", TestArrow.Pairs(1, 2, 3, 4))],
            [("key", TestArrow.Longs(9)), ("vector", TestArrow.Pairs(5, 6))]);
        await AssertBuiltAsync(_folder[name]);
    }

    private async Task AssertBuiltAsync(string path)
    {
        await ToolRun.SucceedAsync("build", "--base", path, "--out", Index, "--threads", "1");
        Assert.That((await ToolRun.SucceedAsync("get", Index, "--key", "7,8,9", "--format", "json")).Output.ReplaceLineEndings("\n"),
            Is.EqualTo("{\"key\":7,\"vector\":[1,2]}\n{\"key\":8,\"vector\":[3,4]}\n{\"key\":9,\"vector\":[5,6]}\n"));
        Assert.That(await NearestAsync(path), Is.EqualTo(new[] { "7", "8", "9" }));
    }

    // The nearest key of each query.
    private async Task<string[]> NearestAsync(string queries)
    {
        await ToolRun.SucceedAsync(
            "search", "--index", Index, "--query", queries, "-k", "1", "--device", "memory", "--out", _folder["hits.csv"]);
        return [.. File.ReadLines(_folder["hits.csv"]).Skip(1).Select(line => line.Split(',')[2])];
    }
}
