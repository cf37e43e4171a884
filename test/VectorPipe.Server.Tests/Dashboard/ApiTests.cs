using System.Net;
using System.Net.Http.Json;
using System.Text.Json.Nodes;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>What the addresses behind the dashboard answer.</summary>
[TestFixture]
public sealed class ApiTests
{
    private const int Films = 600;

    private DashboardServer _server = null!;

    [OneTimeSetUp]
    public async Task StartAsync() => _server = await DashboardServer.StartAsync(Films);

    [OneTimeTearDown]
    public async Task StopAsync() => await _server.DisposeAsync();

    [Test]
    public async Task Sets_tell_their_state()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/sets");
        JsonNode films = answer["sets"]!.AsArray().Single(set => (string?)set!["name"] == DashboardServer.Films)!;
        using (Assert.EnterMultipleScope())
        {
            Assert.That((float)answer["targetRecall"]!, Is.EqualTo(0.95f));
            Assert.That((long)films["elements"]!, Is.EqualTo(Films));
            Assert.That((int)films["dimension"]!, Is.EqualTo(DashboardServer.Dimension));
            Assert.That((string?)films["metric"], Is.EqualTo("cosine"));
            Assert.That((long)films["generation"]!, Is.EqualTo(1));
            Assert.That((long)films["memoryBytes"]!, Is.Positive);
            Assert.That((long)films["index"]!["vectors"]!, Is.EqualTo(Films));
            Assert.That((long)films["index"]!["diskBytes"]!, Is.Positive);
            Assert.That((bool)films["isReadOnly"]!, Is.False);
            Assert.That(films["maintenanceError"], Is.Null);
        }
    }

    [Test]
    public async Task A_server_alone_is_in_no_cluster()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/cluster");
        Assert.That(answer.ToJsonString(), Is.EqualTo("""{"isCluster":false,"nodes":[],"shards":[],"replicas":[]}"""));
    }

    [Test]
    public async Task A_search_near_an_element_gives_hits_beside_the_exact_ones()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/search?set=films&element=film+7&count=12");
        using RespClient client = await _server.Server.ConnectAsync();
        string expected = await client.CallAsync("VSIM", DashboardServer.Films, "ELE", "film 7", "COUNT", "12", "TRUTH");
        string[] truth = [.. answer["truth"]!.AsArray().Select(hit => (string)hit!["element"]!)];
        string[] hits = [.. answer["hits"]!.AsArray().Select(hit => (string)hit!["element"]!)];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(expected.Split("\r\n").Where(line => line.StartsWith("film", StringComparison.Ordinal)), Is.EqualTo(truth));
            Assert.That(hits, Has.Length.EqualTo(12));
            Assert.That((double)answer["recall"]!, Is.EqualTo(hits.Intersect(truth).Count() / 12.0).Within(1e-9));
            Assert.That((double)answer["cost"]!["us"]!, Is.Positive);
            Assert.That((string?)answer["truthCost"]!["basis"], Is.EqualTo("Exact"));
            Assert.That((string?)answer["hits"]![0]!["attributes"], Is.EqualTo("""{"year":1957}"""));
        }
    }

    [Test]
    public async Task A_filter_holds_for_hits_and_truth()
    {
        string filter = Uri.EscapeDataString(".year == 1960");
        JsonNode answer = await _server.GetAsync("/api/v1/search?set=films&element=film+7&count=5&filter=" + filter);
        string[] years = [.. answer["hits"]!.AsArray().Concat(answer["truth"]!.AsArray()).Select(hit => (string)hit!["attributes"]!)];
        Assert.That(years, Has.Length.EqualTo(10));
        Assert.That(years, Is.All.EqualTo("""{"year":1960}"""));
        Assert.That((double)answer["recall"]!, Is.EqualTo(1));
    }

    [Test]
    public async Task A_vector_comes_in_the_body()
    {
        float[] vector = [.. Enumerable.Range(1, DashboardServer.Dimension).Select(i => (float)i)];
        using HttpResponseMessage answer = await _server.Http.PostAsJsonAsync(
            "/api/v1/search", new { set = DashboardServer.Films, vector, count = 3, recall = 0.9 });
        JsonNode found = await DashboardServer.ReadAsync(answer, HttpStatusCode.OK);
        Assert.That(found["hits"]!.AsArray(), Has.Count.EqualTo(3));
        Assert.That((float)found["targetRecall"]!, Is.EqualTo(0.9f));
    }

    [Test]
    public async Task A_curve_has_a_point_for_each_target()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/curve?set=films&element=film+7");
        float[] targets = [.. answer["points"]!.AsArray().Select(point => (float)point!["targetRecall"]!)];
        Assert.That(targets, Is.Ordered.And.Length.EqualTo(9));
        Assert.That(targets[0], Is.EqualTo(0.5f));
        Assert.That(targets[^1], Is.EqualTo(0.9999f));
        Assert.That(answer["points"]!.AsArray().Select(point => (double)point!["recall"]!), Is.All.InRange(0.0, 1.0));
    }

    [Test]
    public async Task A_trace_has_a_slice_for_each_read()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/trace?set=films&element=film+7");
        int slices = answer["trace"]!["traceEvents"]!.AsArray().Count(e => (string?)e!["ph"] == "b");
        Assert.That((int)answer["cost"]!["reads"]!, Is.Positive);
        Assert.That(slices, Is.EqualTo((int)answer["cost"]!["reads"]!));
        Assert.That((int)answer["count"]!, Is.EqualTo(10));
    }

    [Test]
    public async Task A_trace_beside_a_filter_is_of_the_elements_that_it_looks_at_first()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/trace?set=films&element=film+7&filter=" + Uri.EscapeDataString(".year > 0"));
        Assert.That((int)answer["count"]!, Is.EqualTo(64));
    }

    [Test]
    public async Task An_element_comes_by_chance()
    {
        JsonNode answer = await _server.GetAsync("/api/v1/element?set=films");
        Assert.That((string?)answer["element"], Does.StartWith("film "));
    }

    [Test]
    public async Task A_set_may_have_any_name()
    {
        using RespClient client = await _server.Server.ConnectAsync();
        await client.CallAsync("VADD", "caf\u00c3\u00a9 <b>&", "VALUES", "1", "1", "e");
        await client.CallAsync("VADD", "\u00ff\u0001", "VALUES", "1", "1", "e");
        string[] names = [.. (await _server.GetAsync("/api/v1/sets"))["sets"]!.AsArray().Select(set => (string)set!["name"]!)];
        Assert.That(names, Is.SupersetOf(new[] { "caf\u00e9 <b>&", "bytes:ff01" }));
        foreach (string name in names)
        {
            JsonNode answer = await _server.GetAsync("/api/v1/element?set=" + Uri.EscapeDataString(name));
            Assert.That((string?)answer["element"], Is.Not.Null, name);
        }
    }

    [TestCase("search?set=none&element=e", 404, "set: expected the name of a set, found 'none'")]
    [TestCase("element?set=none", 404, "set: expected the name of a set, found 'none'")]
    [TestCase("element", 400, "set: expected the parameter once, found it never")]
    [TestCase("search?set=films&element=none", 404, "element: expected one of set 'films', found 'none'")]
    [TestCase("search?element=e", 400, "set: expected the name of a set, found none")]
    [TestCase("search?set=films", 400, "query: expected an element or a vector, found neither")]
    [TestCase("search?set=films&element=film+1&count=0", 400, "count: expected 1 to 1000, found 0")]
    [TestCase("search?set=films&element=film+1&count=x", 400, "count: expected a whole number, found 'x'")]
    [TestCase("curve?set=films&element=film+1&recall=0.49", 400, "recall: expected 0.5 to 0.9999, found 0.49")]
    [TestCase("trace?set=films&element=film+1&recall=NaN", 400, "recall: expected 0.5 to 0.9999, found NaN")]
    [TestCase("search?set=films&element=film+1&filter=.year+%3E%3E", 400, "filter: syntax error in FILTER expression near: >")]
    [TestCase("search?set=films&set=films&element=film+1", 400, "set: expected the parameter once, found it 2 times")]
    [TestCase("search?set=films&element=film+1&k=3", 400, "parameters: expected set, element, count, recall, filter, found 'k'")]
    [TestCase("nothing", 404, "path: expected sets, cluster, element, search, curve, trace or live of /api/v1/, found /api/v1/nothing")]
    public async Task A_wrong_request_is_told_what_was_expected(string path, int status, string error)
    {
        JsonNode answer = await _server.GetAsync("/api/v1/" + path, (HttpStatusCode)status);
        Assert.That((string?)answer["error"], Is.EqualTo(error));
    }

    [TestCase("""{"set":"films","vector":[1,2]}""", "vector: expected 16 numbers, found 2")]
    [TestCase("""{"set":"films","vector":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}""", "vector: ")]
    [TestCase("""{"set":"films","vector":[1e99,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}""", "vector: ")]
    [TestCase("""{"set":"films","vector":["a"]}""", "body: expected an object")]
    [TestCase("""{"set":"films","k":1}""", "body: expected an object")]
    [TestCase("null", "body: expected an object, found null")]
    [TestCase("", "body: expected an object")]
    public async Task A_wrong_body_is_told_what_was_expected(string body, string error)
    {
        using var content = new StringContent(body, System.Text.Encoding.UTF8, "application/json");
        using HttpResponseMessage answer = await _server.Http.PostAsync("/api/v1/search", content);
        JsonNode read = await DashboardServer.ReadAsync(answer, HttpStatusCode.BadRequest);
        Assert.That((string?)read["error"], Does.StartWith(error));
    }
}
