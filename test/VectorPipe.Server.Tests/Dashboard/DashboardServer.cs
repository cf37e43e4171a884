using System.Globalization;
using System.Net;
using System.Text.Json.Nodes;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>A server with a dashboard, a set of elements that are in an index, and a client of HTTP.</summary>
internal sealed class DashboardServer : IAsyncDisposable
{
    public const string Films = "films";

    /// <summary>The dimension of the vectors of the films.</summary>
    public const int Dimension = 16;

    private const int Seed = 17;

    private DashboardServer(RunningServer server)
    {
        Server = server;
        Http = new HttpClient { BaseAddress = Address };
    }

    public RunningServer Server { get; }

    public HttpClient Http { get; }

    public Uri Address => new($"http://127.0.0.1:{Server.HttpPort}");

    /// <summary>Starts a server, with so many films.</summary>
    public static async Task<DashboardServer> StartAsync(int films = 0, Action<ServerOptions>? change = null)
    {
        RunningServer server = await RunningServer.StartAsync(options =>
        {
            options.HttpPort = 0;
            change?.Invoke(options);
        });
        var dashboard = new DashboardServer(server);
        if (films > 0)
        {
            await dashboard.AddAsync(films);
            await server.CompactAsync(Films);
        }

        return dashboard;
    }

    public static string ElementOf(int number) => string.Create(CultureInfo.InvariantCulture, $"film {number}");

    /// <summary>The object that an address answers, which must be that of a success unless another status is expected.</summary>
    public async Task<JsonNode> GetAsync(string path, HttpStatusCode expected = HttpStatusCode.OK)
    {
        using HttpResponseMessage answer = await Http.GetAsync(path);
        return await ReadAsync(answer, expected);
    }

    /// <summary>The object that an answer has.</summary>
    public static async Task<JsonNode> ReadAsync(HttpResponseMessage answer, HttpStatusCode expected)
    {
        string text = await answer.Content.ReadAsStringAsync();
        NUnit.Framework.Assert.That(answer.StatusCode, NUnit.Framework.Is.EqualTo(expected), text);
        return JsonNode.Parse(text)!;
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await Server.DisposeAsync();
    }

    private async Task AddAsync(int films)
    {
        var random = new Random(Seed);
        using RespClient client = await Server.ConnectAsync();
        await client.CallAllAsync(Enumerable.Range(0, films).Select(number => RespClient.Encode(
        [
            "VADD", Films, "VALUES", Dimension.ToString(CultureInfo.InvariantCulture),
            .. Enumerable.Range(0, Dimension).Select(_ => (random.NextDouble() - 0.5).ToString(CultureInfo.InvariantCulture)),
            ElementOf(number), "SETATTR", string.Create(CultureInfo.InvariantCulture, $$"""{"year":{{1950 + (number % 50)}}}"""),
        ])));
    }
}
