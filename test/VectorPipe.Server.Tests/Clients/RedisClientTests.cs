using System.Globalization;
using NUnit.Framework;
using StackExchange.Redis;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>The client that .NET programs use, as it is, with both versions of the protocol.</summary>
[TestFixture(RedisProtocol.Resp2)]
[TestFixture(RedisProtocol.Resp3)]
public sealed class RedisClientTests(RedisProtocol protocol)
{
    private RunningServer _server = null!;
    private ConnectionMultiplexer _client = null!;
    private IDatabase _sets = null!;

    [OneTimeSetUp]
    public async Task StartAsync()
    {
        _server = await RunningServer.StartAsync();
        string version = protocol == RedisProtocol.Resp2 ? "resp2" : "resp3";
        _client = await ConnectionMultiplexer.ConnectAsync(
            string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{_server.Port},protocol={version}"));
        _sets = _client.GetDatabase();
    }

    [OneTimeTearDown]
    public async Task StopAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Test]
    public async Task It_connects_and_knows_the_server()
    {
        IServer server = _client.GetServers()[0];
        Assert.That(_client.IsConnected);
        Assert.That(server.Version, Is.EqualTo(new Version(8, 0, 0)));
        Assert.That(server.ServerType, Is.EqualTo(ServerType.Standalone));
        Assert.That(server.Protocol, Is.EqualTo(protocol));
        Assert.That(await _sets.PingAsync(), Is.GreaterThan(TimeSpan.Zero));
    }

    [Test]
    public async Task Elements_are_added_found_and_removed()
    {
        RedisKey key = "life";
        Assert.That(await _sets.VectorSetAddAsync(key, VectorSetAddRequest.Member("a", new float[] { 1, 0, 0 }, """{"year":1990}""")));
        Assert.That(await _sets.VectorSetAddAsync(key, VectorSetAddRequest.Member("b", new float[] { 0, 1, 0 }, """{"year":2000}""")));
        Assert.That(await _sets.VectorSetAddAsync(key, VectorSetAddRequest.Member("b", new float[] { 0, 1, 1 })), Is.False, "updated");
        Assert.That(await _sets.VectorSetLengthAsync(key), Is.EqualTo(2));
        Assert.That(await _sets.VectorSetDimensionAsync(key), Is.EqualTo(3));
        Assert.That(await _sets.VectorSetContainsAsync(key, "a"));
        Assert.That(await _sets.VectorSetGetAttributesJsonAsync(key, "b"), Is.EqualTo("""{"year":2000}"""));
        using (Lease<float>? vector = await _sets.VectorSetGetApproximateVectorAsync(key, "b"))
            Assert.That(vector!.Span.ToArray(), Is.EqualTo(new float[] { 0, 1, 1 }));
        Assert.That(await _sets.VectorSetSetAttributesJsonAsync(key, "b", """{"year":2001}"""));
        Assert.That((RedisValue)await _sets.VectorSetRandomMemberAsync(key), Is.EqualTo((RedisValue)"a").Or.EqualTo((RedisValue)"b"));
        Assert.That(await _sets.VectorSetRandomMembersAsync(key, 5), Has.Length.EqualTo(2));
        using (Lease<RedisValue>? range = await _sets.VectorSetRangeAsync(key))
            Assert.That(range!.Span.ToArray(), Is.EqualTo(new RedisValue[] { "a", "b" }));
        Assert.That(await _sets.KeyTypeAsync(key), Is.EqualTo(RedisType.VectorSet));
        Assert.That(await _sets.VectorSetRemoveAsync(key, "a"));
        Assert.That(await _sets.VectorSetRemoveAsync(key, "a"), Is.False);
        Assert.That(await _sets.KeyDeleteAsync(key));
        Assert.That(await _sets.KeyExistsAsync(key), Is.False);
    }

    [Test]
    public async Task A_search_has_scores_attributes_and_filters()
    {
        RedisKey key = "search";
        await AddAsync(key, 50);
        VectorSetSimilaritySearchRequest request = VectorSetSimilaritySearchRequest.ByVector(new float[] { 1, 0 });
        request.Count = 5;
        request.WithScores = true;
        request.WithAttributes = true;
        request.FilterExpression = ".number % 2 == 0";
        using Lease<VectorSetSimilaritySearchResult>? found = await _sets.VectorSetSimilaritySearchAsync(key, request);
        VectorSetSimilaritySearchResult[] hits = found!.Span.ToArray();
        Assert.That(hits.Select(hit => (string?)hit.Member), Is.EqualTo(new[] { "e0", "e2", "e4", "e6", "e8" }));
        Assert.That(hits.Select(hit => hit.Score), Is.Ordered.Descending);
        Assert.That(hits[0].Score, Is.EqualTo(1).Within(1e-6));
        Assert.That(hits[1].AttributesJson, Is.EqualTo("""{"number":2}"""));

        VectorSetSimilaritySearchRequest byMember = VectorSetSimilaritySearchRequest.ByMember("e3");
        byMember.Count = 3;
        byMember.UseExactSearch = true;
        using Lease<VectorSetSimilaritySearchResult>? near = await _sets.VectorSetSimilaritySearchAsync(key, byMember);
        Assert.That(near!.Span.ToArray().Select(hit => (string?)hit.Member), Is.EquivalentTo(new[] { "e2", "e3", "e4" }));
    }

    [Test]
    public async Task Information_and_links_are_understood()
    {
        RedisKey key = "info";
        await AddAsync(key, 20);
        VectorSetInfo info = (await _sets.VectorSetInfoAsync(key))!.Value;
        Assert.That((info.Quantization, info.Dimension, info.Length), Is.EqualTo((VectorSetQuantization.Int8, 2, 20L)));
        using Lease<VectorSetLink>? links = await _sets.VectorSetGetLinksWithScoresAsync(key, "e5");
        Assert.That(links!.Length, Is.EqualTo(19));
        Assert.That(links.Span[0].Score, Is.InRange(0.9, 1));
        Assert.That(await _sets.VectorSetInfoAsync("none"), Is.Null);
    }

    [Test]
    public async Task Calls_at_once_each_have_their_own_answer()
    {
        RedisKey key = "many";
        await AddAsync(key, 200);
        Task<Lease<VectorSetSimilaritySearchResult>?>[] searches = [.. Enumerable.Range(0, 200).Select(i =>
        {
            VectorSetSimilaritySearchRequest request = VectorSetSimilaritySearchRequest.ByMember($"e{i}");
            request.Count = 1;
            return _sets.VectorSetSimilaritySearchAsync(key, request);
        })];
        for (int i = 0; i < searches.Length; i++)
        {
            using Lease<VectorSetSimilaritySearchResult>? found = await searches[i];
            Assert.That((string?)found!.Span[0].Member, Is.EqualTo($"e{i}"));
        }
    }

    [Test]
    public async Task Errors_are_those_of_the_server()
    {
        RedisServerException? error = await Assert.ThrowsAsync<RedisServerException>(
            () => _sets.ExecuteAsync("VADD", "k", "VALUES", "1", "x", "e"));
        Assert.That(error!.Message, Is.EqualTo("ERR invalid vector specification"));
    }

    // On a quarter of a circle, from (1, 0) on.
    private async Task AddAsync(RedisKey key, int count)
    {
        for (int i = 0; i < count; i++)
        {
            (float sine, float cosine) = MathF.SinCos(i * MathF.PI / 2 / count);
            await _sets.VectorSetAddAsync(key, VectorSetAddRequest.Member($"e{i}", new[] { cosine, sine }, $$"""{"number":{{i}}}"""));
        }
    }
}
