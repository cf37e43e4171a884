using System.Diagnostics;
using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A PostgreSQL server of its own, reached by a socket in its folder. It runs as an ordinary user, as it must.</summary>
internal sealed class PostgresServer : IAsyncDisposable
{
    private const string User = "postgres";

    private readonly string _folder;
    private readonly string _programs;
    private int _databases;

    private PostgresServer(string folder, string programs)
    {
        _folder = folder;
        _programs = programs;
    }

    /// <summary>Starts one; without PostgreSQL on this machine, the test is ignored.</summary>
    public static async Task<PostgresServer> StartAsync()
    {
        string programs = FindPrograms();
        string folder = Directory.CreateTempSubdirectory("vp-pg-").FullName;
        var server = new PostgresServer(folder, programs);
        if (Environment.IsPrivilegedProcess)
            await RunAsync("chown", "nobody", folder);

        // No power is lost in these tests: what a killed server has written, the system keeps.
        await server.RunProgramAsync("initdb", "-D", server.Data, "-A", "trust", "-U", User, "--no-sync", "-E", "UTF8", "--locale", "C");
        await server.StartAgainAsync();
        return server;
    }

    private string Data => Path.Combine(_folder, "data");

    /// <summary>Makes an empty database.</summary>
    /// <returns>Its connection string.</returns>
    public async Task<string> CreateDatabaseAsync()
    {
        string name = $"test{Interlocked.Increment(ref _databases)}";
        await using var source = NpgsqlDataSource.Create(ConnectionOf(User));
        await using NpgsqlCommand create = source.CreateCommand($"CREATE DATABASE {name}");
        await create.ExecuteNonQueryAsync();
        return ConnectionOf(name);
    }

    /// <summary>Starts a server that was stopped.</summary>
    public Task StartAgainAsync() => RunProgramAsync(
        "pg_ctl", "-D", Data, "-w", "-s", "-l", Path.Combine(_folder, "log"), "-o",
        $"-k {_folder} -c listen_addresses='' -c fsync=off -c shared_buffers=16MB -c max_connections=200", "start");

    /// <summary>Ends it as a crash would: no connection is told, nothing is written.</summary>
    public Task CrashAsync() => RunProgramAsync("pg_ctl", "-D", Data, "-w", "-s", "-m", "immediate", "stop");

    public async ValueTask DisposeAsync()
    {
        NpgsqlConnection.ClearAllPools();
        await CrashAsync();
        if (Environment.IsPrivilegedProcess)
            await RunAsync("rm", "-r", _folder);
        else
            Directory.Delete(_folder, recursive: true);
    }

    private string ConnectionOf(string database) =>
        $"Host={_folder};Username={User};Database={database};Timeout=5;Command Timeout=5;Maximum Pool Size=20";

    private static string FindPrograms()
    {
        IEnumerable<string> folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        const string Debian = "/usr/lib/postgresql";
        if (Directory.Exists(Debian))
            folders = folders.Concat(Directory.GetDirectories(Debian).Order().Reverse().Select(version => Path.Combine(version, "bin")));
        string? found = folders.FirstOrDefault(
            folder => File.Exists(Path.Combine(folder, "initdb")) && File.Exists(Path.Combine(folder, "pg_ctl")));
        if (found is null)
            Assert.Ignore("expected PostgreSQL (initdb and pg_ctl) on the PATH or in /usr/lib/postgresql, found none");
        return found!;
    }

    private Task RunProgramAsync(string program, params string[] arguments)
    {
        string path = Path.Combine(_programs, program);
        return Environment.IsPrivilegedProcess
            ? RunAsync("setpriv", ["--reuid", "nobody", "--clear-groups", "env", "-C", _folder, path, .. arguments])
            : RunAsync(path, arguments);
    }

    private static async Task RunAsync(string program, params string[] arguments)
    {
        // The server inherits what pg_ctl writes to: not a pipe, which would end only with it.
        bool isServer = arguments[^1] == "start";
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = !isServer })!;
        string output = isServer ? "" : await process.StandardOutput.ReadToEndAsync().WaitAsync(HangBound.Patience);
        await process.WaitForExitAsync().WaitAsync(HangBound.Patience);
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException(
                $"{program} {string.Join(' ', arguments)}: expected exit code 0, found {process.ExitCode}: {output}");
        }
    }
}
