using System.Diagnostics;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>What a program beside the tests wrote.</summary>
internal sealed record SampleRun(int ExitCode, string Output, string Error)
{
    /// <summary>Runs a program in a process of its own, in a folder.</summary>
    public static async Task<SampleRun> RunAsync(string folder, string name, params string[] args)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, name + ".dll"), .. args])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        using Process program = Process.Start(start)!;
        Task<string> error = program.StandardError.ReadToEndAsync();
        string output = await program.StandardOutput.ReadToEndAsync();
        await program.WaitForExitAsync();
        return new SampleRun(program.ExitCode, output.ReplaceLineEndings("\n"), await error);
    }

    /// <summary>Runs a program that must succeed.</summary>
    public static async Task<SampleRun> SucceedAsync(string folder, string name, params string[] args)
    {
        SampleRun run = await RunAsync(folder, name, args);
        Assert.That(run.ExitCode, Is.Zero, $"'{name} {string.Join(' ', args)}' failed: {run.Error}");
        return run;
    }
}
