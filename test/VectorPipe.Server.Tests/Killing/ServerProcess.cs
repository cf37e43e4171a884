using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace VectorPipe.Server.Tests.Killing;

/// <summary>A server in a process of its own.</summary>
internal sealed partial class ServerProcess : IDisposable
{
    private readonly Process _process;

    private ServerProcess(Process process, int port)
    {
        _process = process;
        Port = port;
    }

    public int Port { get; }

    /// <summary>The number of the process.</summary>
    public int Id => _process.Id;

    /// <summary>Whether it runs.</summary>
    public bool IsRunning => !_process.HasExited;

    public static Task<ServerProcess> StartAsync(string directory, params string[] options) => StartAsync(directory, null, options);

    /// <summary>Starts it, as systemd does if there is a socket that it tells how it is.</summary>
    public static Task<ServerProcess> StartAsync(string directory, string? notifySocket, string[] options) => StartProgramAsync(
        "VectorPipe.Server.dll", notifySocket, ["--port", "0", "--dir", directory, "--threads", "1", .. options]);

    /// <summary>Starts a program that says its port as the server does.</summary>
    public static async Task<ServerProcess> StartProgramAsync(string name, string? notifySocket, string[] arguments)
    {
        string program = Path.Combine(AppContext.BaseDirectory, name);
        bool isHost = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet";
        var start = new ProcessStartInfo(isHost ? Environment.ProcessPath! : "dotnet") { RedirectStandardOutput = true };
        foreach (string argument in (string[])["exec", program, .. arguments])
            start.ArgumentList.Add(argument);
        if (notifySocket is not null)
            start.Environment["NOTIFY_SOCKET"] = notifySocket;
        Process process = Process.Start(start)!;
        while (await process.StandardOutput.ReadLineAsync().WaitAsync(HangBound.Patience) is { } line)
        {
            if (PortPattern().Match(line) is not { Success: true } match)
                continue;

            // What it writes later must not fill the pipe.
            _ = process.StandardOutput.ReadToEndAsync();
            return new ServerProcess(process, int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture));
        }

        throw new InvalidOperationException($"expected a server that says its port, found exit code {process.ExitCode}");
    }

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(HangBound.Patience);
        return _process.ExitCode;
    }

    /// <summary>Sends it a signal.</summary>
    /// <param name="signal">STOP, CONT and the like.</param>
    public async Task SignalAsync(string signal)
    {
        using var kill = Process.Start("kill", ["-" + signal, _process.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync().WaitAsync(HangBound.Patience);
    }

    /// <summary>Ends it at once, as SIGKILL does.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().WaitAsync(HangBound.Patience);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }

    [GeneratedRegex("on port ([0-9]+)")]
    private static partial Regex PortPattern();
}
