using System.Collections.Concurrent;
using System.Diagnostics;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>The command line in a process that a test can kill.</summary>
internal sealed class ToolProcess : IDisposable
{
    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = [];
    private readonly ConcurrentDictionary<string, int> _firstWords = [];

    private ToolProcess(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, line) => Add(line.Data ?? "");
        process.ErrorDataReceived += (_, line) => Add(line.Data ?? "");
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
    }

    /// <summary>The lines that it has printed so far.</summary>
    public IEnumerable<string> Lines => _lines;

    /// <summary>Starts the tool.</summary>
    public static ToolProcess Start(params string[] arguments) => StartAssembly("VectorPipe.Tool.dll", arguments);

    /// <summary>Starts a program beside the tests.</summary>
    public static ToolProcess StartAssembly(string assembly, params string[] arguments)
    {
        string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            ? Environment.ProcessPath!
            : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        string program = Path.Combine(AppContext.BaseDirectory, assembly);
        var start = new ProcessStartInfo(host, [program, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        return new ToolProcess(Process.Start(start) ?? throw new InvalidOperationException($"{host} did not start."));
    }

    /// <summary>Whether a line of the output so far begins like this.</summary>
    public bool HasPrinted(string start) => _lines.Any(line => line.StartsWith(start, StringComparison.Ordinal));

    /// <summary>How many lines of the output so far begin with this word. Does not go over them: some processes print thousands.</summary>
    public int CountOf(string firstWord) => _firstWords.GetValueOrDefault(firstWord);

    /// <summary>Kills the process at a moment and a little later.</summary>
    /// <returns>False if it had ended by itself.</returns>
    public bool KillAt(KillMoment moment, double delayMs)
    {
        long started = Stopwatch.GetTimestamp();
        bool isNear = false;
        while (!_process.HasExited && !moment.IsSeen(this))
        {
            if (Stopwatch.GetElapsedTime(started) > HangBound.Patience)
                Assert.Fail(
                    $"Neither '{moment.Name}' nor the end of the process was seen within {HangBound.Patience.TotalSeconds} s. Output: "
                    + $"{string.Join('\n', _lines)}");

            // Constant polling would take a processor from the watched process.
            isNear = isNear || moment.IsNear?.Invoke(this) == true;
            if (isNear)
                Thread.Yield();
            else
                _process.WaitForExit(1);
        }

        // Delays are shorter than the resolution of a wait.
        long seen = Stopwatch.GetTimestamp();
        while (!_process.HasExited && Stopwatch.GetElapsedTime(seen).TotalMilliseconds < delayMs)
            Thread.SpinWait(50);
        _process.Kill();
        _process.WaitForExit();
        return _process.ExitCode != 0;
    }

    /// <summary>The printed lines.</summary>
    public override string ToString() => string.Join('\n', _lines);

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }

    private void Add(string line)
    {
        _lines.Enqueue(line);
        _firstWords.AddOrUpdate(line.Split(' ', 2)[0], 1, (_, count) => count + 1);
    }
}
