using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using NUnit.Framework;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests;

/// <summary>The server as a service of systemd.</summary>
[TestFixture]
[Platform("Linux")]
public sealed class ServiceTests
{
    private const string Program = "/opt/vectorpipe/vectorpipe-server";

    private string _folder = null!;

    private static string Packaging => Path.Combine(Repository.Root, "packaging");

    [SetUp]
    public void MakeFolder() => _folder = Directory.CreateTempSubdirectory("vectorpipe-service-").FullName;

    [TearDown]
    public void Delete() => Directory.Delete(_folder, recursive: true);

    [Test]
    public async Task It_says_when_it_is_ready_and_when_it_stops()
    {
        string path = Path.Combine(_folder, "notify");
        using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(path));
        using ServerProcess server = await ServerProcess.StartAsync(Path.Combine(_folder, "data"), path, []);
        Assert.That(await NextAsync(socket), Does.Contain("READY=1"));
        using RespClient client = await RespClient.ConnectAsync(server.Port);
        Assert.That(await client.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
        Assert.That(await client.CallAsync("SHUTDOWN"), Is.EqualTo("+OK\r\n"));
        Assert.That(await NextAsync(socket), Does.Contain("STOPPING=1"));
        Assert.That(await server.WaitAsync(), Is.Zero);
    }

    [Test]
    public async Task The_unit_is_one_that_systemd_takes()
    {
        string analyze = InstalledPrograms.RequireOne("systemd-analyze");

        // The program itself is not installed here.
        string unit = Path.Combine(_folder, "vectorpipe.service");
        string text = await File.ReadAllTextAsync(Path.Combine(Packaging, "vectorpipe.service"));
        Assert.That(text, Does.Contain(Program));
        await File.WriteAllTextAsync(unit, text.Replace(Program, "/bin/true", StringComparison.Ordinal));
        var start = new ProcessStartInfo(analyze, ["verify", unit]) { RedirectStandardError = true, RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string output = await process.StandardError.ReadToEndAsync() + await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync().WaitAsync(HangBound.Patience);
        Assert.That((process.ExitCode, output.Trim()), Is.EqualTo((0, "")));
    }

    [Test]
    public async Task The_options_of_the_package_are_known()
    {
        string file = Path.Combine(_folder, "vectorpipe.conf");
        string text = await File.ReadAllTextAsync(Path.Combine(Packaging, "vectorpipe.conf"));

        // Those that are commented out, too.
        string[] options = [.. text.Split('\n').Select(line => line.TrimStart('#', ' ')).Where(IsOption)];
        Assert.That(options, Has.Length.GreaterThan(5));
        foreach (string option in options)
        {
            await File.WriteAllTextAsync(file, option);
            string name = option.Split(' ')[0];
            Assert.That(ConfigurationFile.Expand([file]), Is.EqualTo(new[] { $"--{name}={option.Split(' ')[1]}" }));
            Assert.That(DocumentTests.Options.Select(known => known.LongName), Does.Contain(name));
        }
    }

    private static bool IsOption(string line) => line.Split(' ') is { Length: 2 } words && words[0].Length > 0 && !words[0].EndsWith(',');

    private static async Task<string> NextAsync(Socket socket)
    {
        byte[] message = new byte[4096];
        int length = await socket.ReceiveAsync(message).WaitAsync(HangBound.Patience);
        return Encoding.UTF8.GetString(message, 0, length);
    }
}
