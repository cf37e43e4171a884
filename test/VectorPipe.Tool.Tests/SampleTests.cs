using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class SampleTests
{
    [Test]
    public void The_first_programs_of_the_README_are_a_sample()
    {
        string? repository = Repository();
        if (repository is null)
            Assert.Ignore("The sources are not beside the tests.");
        string readme = File.ReadAllText(Path.Combine(repository, "README.md"));
        IEnumerable<string> programs = readme.Split("```csharp\n").Skip(1).Select(
            rest => rest[..rest.IndexOf("```", StringComparison.Ordinal)]);
        Assert.That(
            File.ReadAllText(Path.Combine(repository, "samples", "Hello", "Program.cs")), Is.EqualTo(string.Join('\n', programs)));
    }

    [TestCase("Hello", "    42  1.0000", 11)]
    [TestCase("Notes", "Deleted the note on tyres.", 10)]
    public async Task A_sample_runs(string name, string expected, int lines)
    {
        using var folder = new TempFolder();
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, name + ".dll"), folder["notes"]])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder.Root,
        };
        using Process sample = Process.Start(start)!;
        Task<string> error = sample.StandardError.ReadToEndAsync();
        string output = await sample.StandardOutput.ReadToEndAsync();
        await sample.WaitForExitAsync();
        Assert.That(sample.ExitCode, Is.Zero, await error);
        Assert.That(output.Split(Environment.NewLine), Has.Length.GreaterThanOrEqualTo(lines).And.Contain(expected));
    }

    /// <summary>The folder of the solution above the tests.</summary>
    /// <remarks>The compiler's own paths do not serve: a reproducible build hides them.</remarks>
    internal static string? Repository()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "VectorPipe.sln")))
            folder = folder.Parent;
        return folder?.FullName;
    }
}
