using System.Text.Json;
using System.Text.Json.Nodes;
using NUnit.Framework;

namespace VectorPipe.Tests.Api;

/// <summary>Queries are arrays, spans or memory; results can be kept across an await and written as JSON.</summary>
[TestFixture]
internal sealed class CallShapeTests
{
    private const int K = 3;
    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private float[] _query = null!;

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(type: VectorElementType.Float32, count: 300, dimension: 16);
        _index = _test.Open(DeviceKind.Memory);
        _query = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(_test.Rows.AsSpan(0, _test.RowBytes)).ToArray();
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    public async Task A_query_is_an_array_a_span_or_memory()
    {
        SearchResult[] results =
        [
            await _index.SearchAsync(_query, K),
            await _index.SearchAsync(_query.AsMemory().Span, K),
            await _index.SearchAsync((ReadOnlySpan<float>)_query, K),
            await _index.SearchAsync((ReadOnlyMemory<float>)_query, K),
            await _index.SearchAsync<float>(_query.AsMemory(), K),
            .. await _index.SearchBatchAsync(_query, K),
            .. await _index.SearchBatchAsync(_query.AsSpan(), K),
            .. await _index.SearchBatchAsync((ReadOnlyMemory<float>)_query, K),
            .. await _index.SearchBatchAsync<float>(_query.AsMemory(), K),
        ];
        Assert.That(results.Select(result => result[0].Key), Is.All.Zero);
        Assert.That(results.Select(result => result.Count), Is.All.EqualTo(K));
    }

    [Test]
    public async Task Hits_can_go_to_the_callers_memory()
    {
        var hits = new SearchHit[K + 2];
        SearchStatistics first = await _index.SearchAsync(_query, hits.AsMemory(1, K));
        SearchStatistics second = await _index.SearchAsync((ReadOnlyMemory<float>)_query, hits);
        Assert.That((first.Hits, second.Hits), Is.EqualTo((K, K + 2)));
        Assert.That((hits[0].Key, hits.Select(hit => hit.Key).Distinct().Count()), Is.EqualTo((0UL, K + 2)));
        SearchStatistics all =
            await _index.SearchAsync(_query, new SearchHit[1000], new SearchOptions { Graph = new GraphSearch { ListSize = 1000 } });
        Assert.That((all.Hits, all.EndedBy), Is.EqualTo((300, SearchEnd.AllVectors)), "there are no more vectors");
        Assert.That(() => _index.SearchAsync(_query, Memory<SearchHit>.Empty), Throws.ArgumentException);
    }

    [Test]
    public async Task Hits_arrive_when_the_search_is_awaited_and_not_before()
    {
        var hits = new SearchHit[K];
        Task<SearchStatistics> search = Untouched(hits);
        await search;
        Assert.That(hits[1].Key, Is.Not.Zero, "row 0 is the nearest, another one comes next");
    }

    [Test]
    public async Task A_result_can_be_enumerated_across_an_await()
    {
        SearchResult result = await _index.SearchAsync(_query, K);
        List<ulong> keys = [];
        foreach (SearchHit hit in result)
        {
            VectorRecord? record = await _index.GetAsync(hit.Key);
            keys.Add(record!.Key);
            Assert.That(record.GetVector<float>().Length, Is.EqualTo(16));
        }

        Assert.That(keys, Is.EqualTo(result.Select(hit => hit.Key)));
        Assert.That(result.AsSpan().ToArray(), Is.EqualTo(result));
        Assert.That(result.Statistics.Hits, Is.EqualTo(K));
    }

    [Test]
    public async Task A_result_is_a_list_of_hits_in_JSON()
    {
        SearchResult result = await _index.SearchAsync(_query, K);
        JsonArray array = JsonNode.Parse(JsonSerializer.Serialize(result))!.AsArray();
        Assert.That(array.Select(hit => (hit!["Key"]!.GetValue<ulong>(), hit["Score"]!.GetValue<float>())),
            Is.EqualTo(result.Select(hit => (hit.Key, hit.Score))));
    }

    [Test]
    public async Task A_record_is_an_object_in_JSON_with_its_bytes_in_base_64()
    {
        VectorRecord? record = await _index.GetAsync(7);
        JsonObject json = JsonNode.Parse(JsonSerializer.Serialize(record))!.AsObject();
        Assert.That(json.Select(property => property.Key), Is.EqualTo((string[])["Key", "ElementType", "Bytes"]));
        Assert.That(json["Key"]!.GetValue<ulong>(), Is.EqualTo(7));
        byte[] bytes = Convert.FromBase64String(json["Bytes"]!.GetValue<string>());
        Assert.That(bytes, Is.EqualTo(_test.Rows.AsSpan(7 * _test.RowBytes, _test.RowBytes).ToArray()));
    }

    private async Task<SearchStatistics> Untouched(SearchHit[] hits)
    {
        ValueTask<SearchStatistics> search = _index.SearchAsync(_query, hits);
        SpinWait.SpinUntil(() => search.IsCompleted);
        Assert.That(hits, Is.All.EqualTo(default(SearchHit)));
        return await search;
    }
}
