using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>Who may see the dashboard, and what browsers are told about it.</summary>
[TestFixture]
public sealed class AccessTests
{
    private static readonly string[] _paths = ["/", "/dashboard/app.js", "/api/v1/sets"];

    [Test]
    public async Task Every_answer_tells_browsers_to_be_strict()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        foreach (string path in (string[])[.. _paths, "/api/v1/nothing"])
        {
            using HttpResponseMessage answer = await server.Http.GetAsync(path);
            string Header(string name) =>
                answer.Headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(' ', values) : "";
            using (Assert.EnterMultipleScope())
            {
                Assert.That(Header("Content-Security-Policy"), Is.EqualTo("default-src 'self'; frame-ancestors 'none'"), path);
                Assert.That(Header("X-Content-Type-Options"), Is.EqualTo("nosniff"), path);
                Assert.That(Header("Referrer-Policy"), Is.EqualTo("no-referrer"), path);
                string kept = path.StartsWith("/api", StringComparison.Ordinal) ? "no-store" : "no-cache";
                Assert.That(Header("Cache-Control"), Is.EqualTo(kept), path);
            }
        }
    }

    [Test]
    public async Task A_file_that_the_browser_has_is_not_sent_again()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        using HttpResponseMessage first = await server.Http.GetAsync("/dashboard/app.js");
        using var request = new HttpRequestMessage(HttpMethod.Get, "/dashboard/app.js");
        request.Headers.IfNoneMatch.Add(first.Headers.ETag!);
        using HttpResponseMessage second = await server.Http.SendAsync(request);
        Assert.That(second.StatusCode, Is.EqualTo(HttpStatusCode.NotModified));
        Assert.That(first.Content.Headers.ContentType!.MediaType, Is.EqualTo("text/javascript"));
    }

    [TestCase("evil.example", false)]
    [TestCase("evil.example:80", false)]
    [TestCase("127.0.0.1.evil.example", false)]
    [TestCase("localhost:1", true)]
    [TestCase("127.0.0.1", true)]
    [TestCase("[::1]:5", true)]
    [TestCase("192.168.3.4", true)]
    public async Task A_host_that_is_a_foreign_name_is_refused(string host, bool isTaken)
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        foreach (string path in _paths)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path) { Headers = { Host = host } };
            using HttpResponseMessage answer = await server.Http.SendAsync(request);
            Assert.That(answer.StatusCode, Is.EqualTo(isTaken ? HttpStatusCode.OK : HttpStatusCode.Forbidden), path);
        }

        using var health = new HttpRequestMessage(HttpMethod.Get, "/healthz") { Headers = { Host = host } };
        using HttpResponseMessage healthy = await server.Http.SendAsync(health);
        Assert.That(healthy.StatusCode, Is.EqualTo(HttpStatusCode.OK), "health is for all");
    }

    [Test]
    public async Task A_page_of_another_site_is_refused()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        await AssertStatusAsync("Origin", "http://evil.example", HttpStatusCode.Forbidden);
        await AssertStatusAsync("Origin", "null", HttpStatusCode.Forbidden);
        await AssertStatusAsync("Origin", server.Address.GetLeftPart(UriPartial.Authority), HttpStatusCode.OK);
        await AssertStatusAsync("Sec-Fetch-Site", "cross-site", HttpStatusCode.Forbidden);
        await AssertStatusAsync("Sec-Fetch-Site", "same-origin", HttpStatusCode.OK);

        async Task AssertStatusAsync(string name, string value, HttpStatusCode expected)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/api/v1/sets") { Headers = { { name, value } } };
            using HttpResponseMessage answer = await server.Http.SendAsync(request);
            Assert.That(answer.StatusCode, Is.EqualTo(expected), $"{name}: {value}");
        }
    }

    [Test]
    public async Task With_a_password_all_but_health_needs_it()
    {
        await using DashboardServer server = await DashboardServer.StartAsync(change: options => options.Password = "pass: wörd");
        foreach (string path in _paths)
        {
            AuthenticationHeaderValue?[] wrong =
            [
                null, new("Basic", "no base64!"), new("Basic", "bm9jb2xvbg=="), new("Bearer", "token"),
            ];
            foreach (AuthenticationHeaderValue? authorization in wrong)
                Assert.That(await StatusAsync(path, authorization), Is.EqualTo(HttpStatusCode.Unauthorized), $"{path} {authorization}");
            foreach (string user in (string[])["", "default"])
                Assert.That(await StatusAsync(path, Basic(user, "pass: wörd")), Is.EqualTo(HttpStatusCode.OK), path);
        }

        foreach ((string user, string password) in new[] { ("default", "pass: word"), ("any", "pass: wörd"), ("default", "") })
            Assert.That(await StatusAsync("/", Basic(user, password)), Is.EqualTo(HttpStatusCode.Unauthorized), user);
        foreach (string path in (string[])["/healthz", "/readyz", "/metrics"])
            Assert.That(await StatusAsync(path, null), Is.EqualTo(HttpStatusCode.OK), path);
        using HttpResponseMessage refused = await server.Http.GetAsync("/");
        Assert.That(refused.Headers.WwwAuthenticate.ToString(), Does.StartWith("Basic realm="));

        static AuthenticationHeaderValue Basic(string user, string password) =>
            new("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes($"{user}:{password}")));

        async Task<HttpStatusCode> StatusAsync(string path, AuthenticationHeaderValue? authorization)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path);
            request.Headers.Authorization = authorization;
            using HttpResponseMessage answer = await server.Http.SendAsync(request);
            return answer.StatusCode;
        }
    }

    [Test]
    public async Task Users_see_what_they_may_read()
    {
        await using DashboardServer server = await DashboardServer.StartAsync(films: 10);
        using (RespClient client = await server.Server.ConnectAsync())
        {
            await client.CallAsync("VADD", "other", "VALUES", "2", "1", "0", "one");
            string[] names = ["été", "Ãé"];
            foreach (byte[] name in names.Select(Encoding.UTF8.GetBytes))
                await client.CallAsync("VADD", Encoding.Latin1.GetString(name), "VALUES", "2", "1", "0", "one");
            string pattern = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes("~é*"));
            await client.CallAsync("ACL", "SETUSER", "a", "on", ">secret", "~other", pattern, "+vinfo", "+vsim");
        }

        Assert.That(
            SetNames(await server.GetAsync("/api/v1/sets")), Is.EquivalentTo(new[] { DashboardServer.Films, "other", "été", "Ãé" }));
        server.Http.DefaultRequestHeaders.Authorization =
            new AuthenticationHeaderValue("Basic", Convert.ToBase64String("a:secret"u8));
        Assert.That(SetNames(await server.GetAsync("/api/v1/sets")), Is.EqualTo(new[] { "other", "été" }));
        await server.GetAsync("/api/v1/search?set=other&element=one");
        await server.GetAsync("/api/v1/search?set=été&element=one");
        await server.GetAsync($"/api/v1/search?set={DashboardServer.Films}&element=film 1", HttpStatusCode.NotFound);
        await server.GetAsync("/api/v1/element?set=other", HttpStatusCode.Forbidden);
        await server.GetAsync("/api/v1/live", HttpStatusCode.Forbidden);

        static string[] SetNames(JsonNode answer) => [.. answer["sets"]!.AsArray().Select(set => (string)set!["name"]!)];
    }

    [Test]
    public async Task Other_methods_are_refused()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        foreach (string path in _paths)
        {
            foreach (HttpMethod method in (HttpMethod[])[HttpMethod.Post, HttpMethod.Put, HttpMethod.Delete])
            {
                using var request = new HttpRequestMessage(method, path);
                using HttpResponseMessage answer = await server.Http.SendAsync(request);
                Assert.That(answer.StatusCode, Is.EqualTo(HttpStatusCode.MethodNotAllowed), $"{method} {path}");
            }
        }
    }

    [TestCase("text/plain")]
    [TestCase("application/x-www-form-urlencoded")]
    [TestCase("application/jsonp")]
    public async Task A_body_that_is_not_said_to_be_json_is_refused(string type)
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        using var content = new StringContent("{}", Encoding.UTF8, type);
        using HttpResponseMessage answer = await server.Http.PostAsync("/api/v1/search", content);
        JsonNode read = await DashboardServer.ReadAsync(answer, HttpStatusCode.UnsupportedMediaType);
        Assert.That((string?)read["error"], Does.StartWith("Content-Type: expected application/json, found " + type));
    }

    [Test]
    public async Task A_long_body_is_refused()
    {
        await using DashboardServer server = await DashboardServer.StartAsync();
        using var content = new StringContent(new string(' ', (1 << 20) + 1) + "{}", Encoding.UTF8, "application/json");
        using HttpResponseMessage answer = await server.Http.PostAsync("/api/v1/search", content);
        JsonNode read = await DashboardServer.ReadAsync(answer, HttpStatusCode.RequestEntityTooLarge);
        Assert.That((string?)read["error"], Is.Not.Empty);
    }
}
