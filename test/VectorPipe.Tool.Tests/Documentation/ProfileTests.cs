using System.Diagnostics;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>The command of the page on containers adds io_uring to a seccomp profile.</summary>
[Platform("Linux")]
public sealed class ProfileTests
{
    // In the form of the runtime's own, which allows most calls and some under conditions.
    private const string Profile = """
        {
          "defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1,
          "archMap": [{ "architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"] }],
          "syscalls": [
            { "names": ["read", "write"], "action": "SCMP_ACT_ALLOW" },
            { "names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "includes": { "minKernel": "4.8" } }
          ]
        }
        """;

    [Test]
    public async Task The_command_adds_three_calls_and_changes_nothing_else()
    {
        Assume.That(await ExitCodeAsync("/", "jq --version"), Is.Zero, "jq is not there.");
        using var folder = new TempFolder();
        await File.WriteAllTextAsync(folder["default.json"], Profile);
        PageCommand command = PageCommand.All().Single(command => command.Program == "jq");
        Assert.That(await ExitCodeAsync(folder.Root, command.Text), Is.Zero);

        JsonNode made = JsonNode.Parse(await File.ReadAllTextAsync(folder["io_uring.json"]))!;
        JsonArray rules = made["syscalls"]!.AsArray();
        JsonNode added = rules[^1]!;
        Assert.That(
            added.ToJsonString(),
            Is.EqualTo("""{"names":["io_uring_setup","io_uring_enter","io_uring_register"],"action":"SCMP_ACT_ALLOW"}"""));
        rules.RemoveAt(rules.Count - 1);
        Assert.That(JsonNode.DeepEquals(made, JsonNode.Parse(Profile)), $"all else as it was: {made}");
    }

    private static async Task<int> ExitCodeAsync(string folder, string command)
    {
        using Process shell = Process.Start(new ProcessStartInfo("sh", ["-c", command])
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = shell.StandardError.ReadToEndAsync();
        await shell.StandardOutput.ReadToEndAsync();
        await error;
        await shell.WaitForExitAsync();
        return shell.ExitCode;
    }
}
