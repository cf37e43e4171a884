using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Runs commands of pages in the current folder: in this process, or by bash if there is more to them than words.</summary>
internal static class PageShell
{
    private const string Program = "vectorpipe";

    /// <summary>Whether this runs the command: one of <c>vectorpipe</c>, alone or in a pipe, or one that makes a folder for it.</summary>
    public static bool Takes(PageCommand command) => command.Program is Program or "echo" or "source" or "mkdir";

    /// <summary>Runs a command that must succeed.</summary>
    /// <returns>What it prints.</returns>
    public static async Task<string> RunAsync(PageCommand command)
    {
        ShellLine line = ShellLine.Parse(command.Text);
        if (line.NeedsShell || line.Words[0] != Program)
            return await RunInShellAsync(command);
        ToolRun run = await ToolRun.RunAsync(PageSizes.Reduce(line.Words[1..]));
        Assert.That(run.ExitCode, Is.Zero, $"{command}: {run.Error}");
        if (line.Output is not null)
            await File.WriteAllTextAsync(line.Output, run.Output);
        return run.Output;
    }

    private static async Task<string> RunInShellAsync(PageCommand command)
    {
        string bash = InstalledPrograms.RequireOne("bash"), home = Environment.CurrentDirectory;
        string tool = Path.Combine(AppContext.BaseDirectory, "VectorPipe.Tool.dll").Replace('\\', '/');
        var start = new ProcessStartInfo(bash, ["-c", $"set -e -o pipefail\n{Program}() {{ dotnet '{tool}' \"$@\"; }}\n{command.Text}\n"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["HOME"] = home },
        };
        using Process shell = Process.Start(start)!;
        Task<string> error = shell.StandardError.ReadToEndAsync();
        string output = await shell.StandardOutput.ReadToEndAsync();
        await shell.WaitForExitAsync();
        Assert.That(shell.ExitCode, Is.Zero, $"{command}: {await error}");
        return output;
    }
}
