using System.Diagnostics;
using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Clients of Redis that are no part of .NET, as they are, where they are installed.</summary>
[TestFixture]
public sealed class OtherClientsTests
{
    // How the script ends if the package does not speak a version of the protocol.
    private const int NotSpoken = 77;

    [Test]
    public async Task The_command_line_writes_and_searches([Values(2, 3)] int version)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        Task<string> RunAsync(string options, string command) => RunToolAsync(
            "redis-cli", string.Create(CultureInfo.InvariantCulture, $"-p {server.Port} -{version} {options} {command}"));
        Assert.That(await RunAsync("", "VADD k VALUES 2 1 0 a SETATTR {\"y\":1}"), Is.EqualTo(version == 3 ? "(true)" : "1"));
        await RunAsync("", "VADD k VALUES 2 0 1 b");
        Assert.That(await RunAsync("--json", "VSIM k VALUES 2 1 0 WITHSCORES"), Does.StartWith(version == 3 ? "{\"a\":1" : "[\"a\",\"1"));
        Assert.That(await RunAsync("", "--scan"), Is.EqualTo("k"));
        Assert.That(await RunAsync("", "ACL SETUSER app on >secret ~k +@read"), Is.EqualTo("OK"));
        Assert.That(await RunAsync("--no-auth-warning --user app --pass secret", "VCARD k"), Is.EqualTo("2"));
        Assert.That(await RunAsync("--no-auth-warning --user app --pass secret", "VREM k a"), Does.StartWith("NOPERM"));
    }

    [Test]
    public async Task The_benchmark_of_Redis_runs()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        Task<string> RunAsync(string command) => RunToolAsync(
            "redis-benchmark", string.Create(CultureInfo.InvariantCulture, $"-p {server.Port} -n 2000 -P 16 -c 10 -r 1000 -q {command}"));
        Assert.That(await RunAsync("-t ping"), Does.Contain("PING_MBULK: ").And.Contain("requests per second"));
        Assert.That(await RunAsync("VADD k VALUES 3 1 0.5 0 __rand_int__"), Does.Contain("requests per second"));
        Assert.That(await RunAsync("VSIM k VALUES 3 1 0.1 0"), Does.Contain("requests per second"));
        using RespClient client = await server.ConnectAsync();
        Assert.That(long.Parse((await client.CallAsync("VCARD", "k"))[1..], CultureInfo.InvariantCulture), Is.InRange(500, 1000));
    }

    [Test]
    public async Task The_client_of_Python_writes_and_searches([Values(2, 3)] int version)
    {
        string script = Path.Combine(AppContext.BaseDirectory, "Clients", "redis_py.py");
        if (await RunAsync("python3", "-c \"import redis\"") is not (0, _))
            Assert.Ignore("expected python3 with the package redis, found none");
        await using RunningServer server = await RunningServer.StartAsync();
        (int exitCode, string output) = await RunAsync(
            "python3", string.Create(CultureInfo.InvariantCulture, $"\"{script}\" {server.Port} {version}"));
        if (exitCode == NotSpoken)
            Assert.Ignore(output);
        Assert.That(exitCode, Is.Zero, output);
    }

    private static async Task<string> RunToolAsync(string program, string arguments)
    {
        (int exitCode, string output) = await RunAsync(program, arguments);
        Assert.That(exitCode, Is.Zero, output);
        return output;
    }

    private static async Task<(int ExitCode, string Output)> RunAsync(string program, string arguments)
    {
        var start = new ProcessStartInfo(InstalledPrograms.RequireOne(program), arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = await process.StandardOutput.ReadToEndAsync().WaitAsync(HangBound.Patience);
        await process.WaitForExitAsync().WaitAsync(HangBound.Patience);
        return (process.ExitCode, (output + await error).Trim());
    }
}
