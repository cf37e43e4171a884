using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace VectorPipe.Bench.Peers;

/// <summary>A running program of benchmark/hnswlib: it has its graph in memory and searches when it is asked to.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class HnswlibProgram : IDisposable
{
    private readonly Process _process;
    private readonly string _path;
    private readonly Task<string> _errors;

    private HnswlibProgram(Process process, string path)
    {
        _process = process;
        _path = path;
        _errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
    }

    /// <summary>Seconds in which it built its graph; 0 if it found one.</summary>
    public double BuildSeconds { get; private set; }

    /// <summary>Starts the program, and waits until its graph is in memory.</summary>
    /// <exception cref="UsageException">The program cannot be started, or ends before.</exception>
    public static async Task<HnswlibProgram> StartAsync(PeersBenchArguments arguments, CancellationToken cancellationToken)
    {
        string path = arguments.Program;
        var start = new ProcessStartInfo(Path.GetFullPath(path))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        string[] words =
        [
            arguments.Base, arguments.Query, arguments.Truth, arguments.GraphPath, $"{arguments.K}", $"{arguments.ThreadCounts[0]}",
            $"{arguments.Links}", $"{arguments.EfConstruction}",
        ];
        foreach (string word in words)
            start.ArgumentList.Add(word);
        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            throw new UsageException($"--hnswlib: expected a program, found '{path}': {e.Message}");
        }

        var program = new HnswlibProgram(process, path);
        try
        {
            string[] ready = await program.ReadAsync("ready SECONDS", cancellationToken);
            program.BuildSeconds = program.Number(ready, 1, "ready SECONDS");
            return program;
        }
        catch
        {
            program.Dispose();
            throw;
        }
    }

    /// <summary>Searches for all queries.</summary>
    /// <param name="ef">The length of its list.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="UsageException">The program has ended, or says something else.</exception>
    public async Task<(double Recall, double Qps)> SearchAsync(int ef, CancellationToken cancellationToken)
    {
        const string form = "RECALL QPS";
        await _process.StandardInput.WriteLineAsync(ef.ToString(CultureInfo.InvariantCulture).AsMemory(), cancellationToken);
        await _process.StandardInput.FlushAsync(cancellationToken);
        string[] words = await ReadAsync(form, cancellationToken);
        return (Number(words, 0, form), Number(words, 1, form));
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }

    private async Task<string[]> ReadAsync(string form, CancellationToken cancellationToken)
    {
        string? line = await _process.StandardOutput.ReadLineAsync(cancellationToken);
        if (line is not null)
            return line.Split(' ');
        await _process.WaitForExitAsync(cancellationToken);
        throw new UsageException(
            $"--hnswlib: expected '{form}' of '{_path}', found its end with {_process.ExitCode}: {(await _errors).Trim()}");
    }

    private double Number(string[] words, int index, string form) =>
        index < words.Length && double.TryParse(words[index], CultureInfo.InvariantCulture, out double number)
            ? number
            : throw new UsageException($"--hnswlib: expected '{form}' of '{_path}', found '{string.Join(' ', words)}'");
}
