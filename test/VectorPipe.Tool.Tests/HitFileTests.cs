using System.Runtime.InteropServices;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Collections.Columns;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>The hits of searches, saved by search and query.</summary>
public sealed class HitFileTests
{
    private const int K = 3;

    private TempFolder _folder = null!;
    private SmallIndex _small = null!;

    [SetUp]
    public async Task CreateFolderAsync()
    {
        _folder = new TempFolder();
        _small = await SmallIndex.SharedAsync();
    }

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task Every_format_holds_the_hits_that_a_query_prints([Values("search", "query")] string verb)
    {
        (int Query, int Rank, ulong Key, float Score)[] expected = Hits((await ToolRun.SucceedAsync(
            "query", _small.Index, "--vectors", _small.Query, "-k", $"{K}", "--device", "memory", "--format", "json")).Output);
        Assert.That(expected.Select(hit => (hit.Query, hit.Rank)),
            Is.EqualTo(Enumerable.Range(0, K * SmallIndex.Queries).Select(i => (i / K, (i % K) + 1))));

        foreach (string name in (string[])["hits.npy", "hits.ivecs", "hits.parquet", "hits.jsonl", "hits.csv"])
            await SaveAsync(verb, "--out", _folder[name]);
        byte[] npy = await File.ReadAllBytesAsync(_folder["hits.npy"]);
        int rows = npy.Length - (expected.Length * sizeof(long));
        Assert.That(rows % 64, Is.Zero, "the bytes of the header");
        Assert.That(System.Text.Encoding.ASCII.GetString(npy, 10, rows - 10),
            Does.StartWith($"{{'descr': '<i8', 'fortran_order': False, 'shape': ({SmallIndex.Queries}, {K}), }}").And.EndWith("\n"));
        Assert.That(MemoryMarshal.Cast<byte, long>(npy.AsSpan(rows)).ToArray(), Is.EqualTo(expected.Select(hit => (long)hit.Key)));

        int[] ivecs = MemoryMarshal.Cast<byte, int>(await File.ReadAllBytesAsync(_folder["hits.ivecs"])).ToArray();
        Assert.That(ivecs, Is.EqualTo(expected.Chunk(K).SelectMany(row => row.Select(hit => (int)hit.Key).Prepend(K))));
        Assert.That(Hits(await File.ReadAllTextAsync(_folder["hits.jsonl"])), Is.EqualTo(expected));
        Assert.That(await ParquetAsync<ulong>(_folder["hits.parquet"]), Is.EqualTo(expected));
        string[] lines = await File.ReadAllLinesAsync(_folder["hits.csv"]);
        string first = FormattableString.Invariant($"0,1,{expected[0].Key},{expected[0].Score}");
        Assert.That(lines[..2], Is.EqualTo(new[] { "query,rank,key,score", first }));
        Assert.That(lines, Has.Length.EqualTo(1 + expected.Length));
        Assert.That(Hits((await SaveAsync(verb, "--out", "-")).Output), Is.EqualTo(expected), "standard output holds the hits alone");
        Assert.That(Directory.EnumerateFiles(_folder.Root).Count(), Is.EqualTo(5), "no file is left beside");
    }

    [Test]
    public async Task A_saved_truth_of_a_search_has_its_own_recall()
    {
        await SaveAsync("search", "--out", _folder["hits.ivecs"]);
        JsonObject search = await ToolRun.JsonAsync(
            "search", "--index", _small.Index, "--query", _small.Query, "--truth", _folder["hits.ivecs"], "-k", $"{K}", "--device",
            "memory");
        Assert.That((double)search["results"]![0]!["recall"]!, Is.EqualTo(1));
    }

    [Test]
    public async Task A_search_with_several_settings_saves_none() =>
        (await _small.SearchAsync("--out", _folder["hits.npy"], "--target-recall", "0.9,0.95"))
        .AssertFailed(ExitCodes.BadInput, "--out: expected one setting, whose hits are saved; found 2 settings");

    [Test]
    public async Task A_trace_goes_to_standard_output_alone()
    {
        ToolRun run = await _small.SearchAsync("--trace", "-");
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(JsonNode.Parse(run.Output), Is.Not.Null);
        Assert.That(run.Error, Does.Contain("queries, threads: 1"));
        Assert.That(File.Exists("-"), Is.False);
        (await _small.SearchAsync("--trace", "-", "--format", "json")).AssertFailed(ExitCodes.BadInput, "none beside '--trace -'");
        (await _small.SearchAsync("--trace", "-", "--out", "-")).AssertFailed(ExitCodes.BadInput, "a file beside '--out -'");
        (await _small.SearchAsync("--out", "-", "--format", "csv")).AssertFailed(ExitCodes.BadInput, "none beside '--out -'");
    }

    [Test]
    public async Task Keys_of_every_type_are_saved_in_columns_and_lines([Values("ulong", "long", "int", "guid", "string")] string type)
    {
        string key = type == "guid" ? "0b1ad3ab-4e3c-4d1c-9c0a-000000000001" : "7";
        string dir = await CollectionAsync(type, key);
        string[] query = ["query", dir, "--vector", "[0, 2]", "--out"];
        ToolRun saved = await ToolRun.SucceedAsync([.. query, _folder["hits.parquet"]]);
        Assert.That(saved.Output, Does.Contain("hits.parquet: 1 hits of 1 queries").And.Not.Contain("rank"));
        Assert.That(await ParquetAsync<string>(_folder["hits.parquet"]), Is.EqualTo(new[] { (0, 1, key, 1f) }));
        await ToolRun.SucceedAsync([.. query, _folder["hits.jsonl"]]);
        Assert.That(JsonNode.Parse(await File.ReadAllTextAsync(_folder["hits.jsonl"]))!["key"]!.ToString(), Is.EqualTo(key));
        ToolRun matrix = await ToolRun.RunAsync([.. query, _folder["hits.ivecs"]]);
        if (type is "guid" or "string")
            matrix.AssertFailed(ExitCodes.BadInput, $"for keys of type {type}");
        else
            Assert.That(matrix.ExitCode, Is.Zero, matrix.Error);
    }

    [TestCase("ulong", "4294967296", ".ivecs", "expected keys of 0 to 2147483647 for .ivecs; found 4294967296")]
    [TestCase("ulong", "18446744073709551615", ".npy", "expected keys of 0 to 9223372036854775807 for .npy; found 18446744073709551615")]
    [TestCase("long", "-1", ".npy", "found -1")]
    [TestCase("int", "-1", ".ivecs", "found -1")]
    public async Task A_key_that_a_format_cannot_hold_is_refused_and_an_earlier_file_stays(
        string type, string key, string extension, string expected)
    {
        string dir = await CollectionAsync(type, key);
        await File.WriteAllTextAsync(_folder["hits" + extension], "earlier");
        (await ToolRun.RunAsync("query", dir, "--vector", "[0, 2]", "--out", _folder["hits" + extension]))
            .AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(await File.ReadAllTextAsync(_folder["hits" + extension]), Is.EqualTo("earlier"));
        Assert.That(Directory.EnumerateFiles(_folder.Root, ".*"), Is.Empty);
    }

    [Test]
    public async Task Missing_hits_are_minus_one_in_rows()
    {
        string dir = await CollectionAsync("int", "7");
        await ToolRun.SucceedAsync("query", dir, "--vector", "[0, 2]", "-k", "3", "--out", _folder["hits.ivecs"]);
        Assert.That(MemoryMarshal.Cast<byte, int>(await File.ReadAllBytesAsync(_folder["hits.ivecs"])).ToArray(),
            Is.EqualTo(new[] { 3, 7, -1, -1 }));
        await ToolRun.SucceedAsync("query", dir, "--vector", "[0, 2]", "-k", "3", "--out", _folder["hits.npy"]);
        Assert.That(MemoryMarshal.Cast<byte, long>((await File.ReadAllBytesAsync(_folder["hits.npy"])).AsSpan()[^24..]).ToArray(),
            Is.EqualTo(new long[] { 7, -1, -1 }));
    }

    [Test]
    public async Task Lines_hold_what_hits_bring_along_and_other_formats_refuse_it()
    {
        string dir = await CollectionAsync("int", "7");
        string[] query = ["query", dir, "--vector", "[0, 2]", "--include", "vector,payload", "--out"];
        await ToolRun.SucceedAsync([.. query, _folder["hits.jsonl"]]);
        Assert.That((await File.ReadAllTextAsync(_folder["hits.jsonl"])).Trim(),
            Is.EqualTo("""{"query":0,"rank":1,"key":7,"score":1,"vector":[0,1],"payload":"text"}"""));
        await ToolRun.SucceedAsync([.. query, _folder["hits.csv"]]);
        string names = File.ReadLines(_folder["hits.csv"]).First();
        Assert.That(names, Is.EqualTo("query,rank,key,score,vector,payload,payload_base64"));
        foreach (string extension in (string[])[".parquet", ".npy", ".ivecs"])
        {
            (await ToolRun.RunAsync([.. query, _folder["hits" + extension]]))
                .AssertFailed(ExitCodes.BadInput, $"--include: expected none beside {extension}");
        }

        (await ToolRun.RunAsync([.. query, _folder["hits.txt"]])).AssertFailed(ExitCodes.BadInput, "ends in .ivecs, .npy");
        (await ToolRun.RunAsync([.. query, "-", "--format", "json"])).AssertFailed(ExitCodes.BadInput, "--format");
    }

    [Test]
    public async Task Queries_of_an_index_are_by_vector_and_by_key()
    {
        string vector = (await ToolRun.SucceedAsync("get", _small.Index, "--key", "5", "--format", "json")).Output;
        string list = JsonNode.Parse(vector)!["vector"]!.ToJsonString();
        var nearest = Hits((await ToolRun.SucceedAsync("query", _small.Index, "--vector", list, "-k", "4", "--out", "-")).Output);
        Assert.That((nearest[0].Key, nearest[0].Score), Is.EqualTo((5UL, 0f)));
        var near = Hits((await ToolRun.SucceedAsync("query", "--index", _small.Index, "--key", "5", "-k", "3", "--out", "-")).Output);
        Assert.That(near.Select(hit => hit.Key), Is.EqualTo(nearest[1..].Select(hit => hit.Key)), "all but the vector itself");

        string[] query = ["query", _small.Index, "--vector", list];
        Assert.That((await ToolRun.RunAsync("query", _small.Index, "--key", "123456")).ExitCode, Is.EqualTo(ExitCodes.KeyNotFound));
        (await ToolRun.RunAsync([.. query, "--filter", "year == 1"])).AssertFailed(ExitCodes.BadInput, "--filter: expected none for");
        (await ToolRun.RunAsync([.. query, "--include", "payload"])).AssertFailed(ExitCodes.BadInput, "--include: expected none for");
        (await ToolRun.RunAsync([.. query, "-k", "1001"])).AssertFailed(ExitCodes.BadInput, "-k: expected 1 to 1000");
        (await ToolRun.RunAsync("query", "--vector", list)).AssertFailed(ExitCodes.BadInput, "--index: expected a folder");
    }

    private Task<ToolRun> SaveAsync(string verb, params string[] more) => ToolRun.SucceedAsync(
    [
        verb, "--index", _small.Index, verb == "search" ? "--query" : "--vectors", _small.Query, "-k", $"{K}", "--device", "memory",
        .. more,
    ]);

    // One record, at distance 1 of the query.
    private async Task<string> CollectionAsync(string type, string key)
    {
        string dir = Directory.CreateDirectory(_folder["outer"]).FullName;
        string collection = Path.Combine(dir, "collection"), records = Path.Combine(dir, "records");
        await ToolRun.SucceedAsync("create", collection, "--dimension", "2", "--metric", "l2", "--key-type", type);
        await File.WriteAllTextAsync(records, $$"""{"key": "{{key}}", "vector": [0, 1], "payload": "text"}""");
        await ToolRun.SucceedAsync("upsert", collection, "--records", records);
        return collection;
    }

    private static (int Query, int Rank, ulong Key, float Score)[] Hits(string lines) =>
    [
        .. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonNode.Parse(line)!)
            .Select(hit => ((int)hit["query"]!, (int)hit["rank"]!, (ulong)hit["key"]!, (float)hit["score"]!)),
    ];

    private static async Task<List<(int Query, int Rank, TKey Key, float Score)>> ParquetAsync<TKey>(string path)
        where TKey : notnull, IParsable<TKey>
    {
        await using ColumnFile file = await ColumnFile.OpenAsync(path, CancellationToken.None);
        Assert.That(file.Names, Is.EqualTo(new[] { "query", "rank", "key", "score" }));
        Func<string, int> query = KeyColumn<int>.ReaderOf(file.Take("query")!)!, rank = KeyColumn<int>.ReaderOf(file.Take("rank")!)!;
        Func<string, TKey> key = KeyColumn<TKey>.ReaderOf(file.Take("key")!)!;
        var score = (ValueColumn<float>)file.Take("score")!;
        List<(int, int, TKey, float)> hits = [];
        while (await file.NextAsync(CancellationToken.None))
            hits.Add((query(file.Place), rank(file.Place), key(file.Place), Next(score, file.Place)));
        return hits;

        static float Next(ValueColumn<float> scores, string place)
        {
            Assert.That(scores.Next(place, out ReadOnlySpan<float> values));
            return values[0];
        }
    }
}
