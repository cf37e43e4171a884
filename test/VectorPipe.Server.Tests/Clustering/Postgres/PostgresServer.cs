using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A PostgreSQL server of its own, reached by a socket in its folder. It runs as an ordinary user, as it must.</summary>
internal sealed class PostgresServer : IAsyncDisposable
{
    private const string User = "postgres";

    // To copy an empty database takes a quarter of the time of making one.
    private static readonly Lock _gate = new();
    private static Task<PostgresServer>? _template;

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
        PostgresServer server = await MakeFolderAsync(programs);
        await RunAsync("cp", "-a", (await TemplateAsync(programs)).Data, server.Data);
        await server.StartAgainAsync();
        return server;
    }

    /// <summary>Deletes what servers are copies of, after the last one.</summary>
    public static async Task DeleteTemplateAsync()
    {
        if (_template is not null)
            await (await _template).DeleteFolderAsync();
    }

    /// <summary>Where clients reach it.</summary>
    public EndPoint Socket => new UnixDomainSocketEndPoint(Path.Combine(_folder, ".s.PGSQL.5432"));

    private string Data => Path.Combine(_folder, "data");

    /// <summary>Makes an empty database.</summary>
    /// <returns>Its connection string.</returns>
    public async Task<string> CreateDatabaseAsync()
    {
        string name = $"test{Interlocked.Increment(ref _databases)}";
        await using var connection = new NpgsqlConnection(ConnectionOf(User) + ";Pooling=false;Server Compatibility Mode=NoTypeLoading");
        await connection.OpenAsync();

        // To copy the files takes half the time of writing all of it to the log, too. Before 15 it is the only way.
        string strategy = connection.PostgreSqlVersion.Major >= 15 ? " STRATEGY FILE_COPY" : "";
        await using var create = new NpgsqlCommand($"CREATE DATABASE {name}{strategy}", connection);
        await create.ExecuteNonQueryAsync();
        return ConnectionOf(name);
    }

    /// <summary>Runs a client program of PostgreSQL against it.</summary>
    /// <param name="program">Its name.</param>
    /// <param name="arguments">Its arguments, without those that say where the server is.</param>
    public Task RunClientAsync(string program, params string[] arguments) =>
        RunProgramAsync(program, ["-h", _folder, "-U", User, .. arguments]);

    /// <summary>The connection string of a database.</summary>
    public string ConnectionOf(string database) =>
        $"Host={_folder};Username={User};Database={database};Timeout=5;Command Timeout=5;Maximum Pool Size=20";

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
        await DeleteFolderAsync();
    }

    private static Task<PostgresServer> TemplateAsync(string programs)
    {
        lock (_gate)
            return _template ??= MakeAsync(programs);
    }

    // No power is lost in these tests: what a killed server has written, the system keeps.
    private static async Task<PostgresServer> MakeAsync(string programs)
    {
        PostgresServer server = await MakeFolderAsync(programs);
        await server.RunProgramAsync("initdb", "-D", server.Data, "-A", "trust", "-U", User, "--no-sync", "-E", "UTF8", "--locale", "C");
        return server;
    }

    private static async Task<PostgresServer> MakeFolderAsync(string programs)
    {
        string folder = Directory.CreateTempSubdirectory("vp-pg-").FullName;
        if (Environment.IsPrivilegedProcess)
            await RunAsync("chown", "nobody", folder);
        return new PostgresServer(folder, programs);
    }

    private async Task DeleteFolderAsync()
    {
        if (Environment.IsPrivilegedProcess)
            await RunAsync("rm", "-r", _folder);
        else
            Directory.Delete(_folder, recursive: true);
    }

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
        if (!File.Exists(path))
            path = InstalledPrograms.RequireOne(program);
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
