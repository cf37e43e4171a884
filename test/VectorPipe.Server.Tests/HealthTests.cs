using System.Net;
using NUnit.Framework;

namespace VectorPipe.Server.Tests;

/// <summary>Health and metrics over HTTP, and options in a file.</summary>
[TestFixture]
public sealed class HealthTests
{
    [Test]
    public async Task A_server_is_alive_ready_and_has_figures()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.HttpPort = 0);
        using (RespClient client = await server.ConnectAsync())
            await client.CallAsync("VADD", "a \"b\"", "VALUES", "1", "1", "e");
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{server.HttpPort}") };
        Assert.That(await http.GetStringAsync("/healthz"), Is.EqualTo("ok\n"));
        Assert.That(await http.GetStringAsync("/readyz"), Is.EqualTo("ok\n"));
        string metrics = await http.GetStringAsync("/metrics");
        Assert.That(metrics, Does.Contain("\nvectorpipe_server_sets 1\n"));
        Assert.That(metrics, Does.Contain("\nvectorpipe_set_elements{set=\"a \\\"b\\\"\"} 1\n"));
        Assert.That(metrics.Split('\n').Where(line => line.Length > 0), Is.All.Match("^(# (HELP|TYPE) )?[a-z_]+(\\{.*\\})? "));
        using HttpResponseMessage other = await http.GetAsync("/other");
        Assert.That(other.StatusCode, Is.EqualTo(HttpStatusCode.NotFound));
    }

    [Test]
    public async Task Without_a_port_there_is_no_http()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        Assert.That(server.HttpPort, Is.Zero);
    }

    [Test]
    public void Options_of_a_file_come_before_those_of_the_command_line()
    {
        string file = Path.GetTempFileName();
        try
        {
            File.WriteAllText(file, "# a comment\n\nport 7000\n  dir \"/data of sets\"  \nmaxclients\t5\n");
            Assert.That(
                ConfigurationFile.Expand([file, "--port", "8000", "--bind", "::1"]),
                Is.EqualTo(new[] { "--dir=/data of sets", "--maxclients=5", "--port", "8000", "--bind", "::1" }));
            Assert.That(ConfigurationFile.Expand(["--port", "8000"]), Is.EqualTo(new[] { "--port", "8000" }));
            Assert.That(() => ConfigurationFile.Expand([file + ".none"]), Throws.InstanceOf<IOException>());
        }
        finally
        {
            File.Delete(file);
        }
    }
}
