using System.ComponentModel;
using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Scripts that complete command lines.</summary>
public sealed class CompletionTests
{
    [TestCase("vectorpipe bu", "build")]
    [TestCase("vectorpipe build --bas", "--base")]
    [TestCase("vectorpipe create x --key-type s", "string")]
    [TestCase("vectorpipe build --metric ", "l2 ip cosine")]
    [TestCase("vectorpipe build --page-vectors f", "float16")]
    [TestCase("vectorpipe search --with-gr", "")]
    [TestCase("vectorpipe query --help", "--help --help-all")]
    [TestCase("vectorpipe completion ", "bash zsh fish pwsh")]
    public async Task Bash_completes(string line, string expected)
    {
        using var folder = new TempFolder();
        ToolRun run = await ToolRun.SucceedAsync("completion", "bash");
        string[] words = line.Split(' ');
        await File.WriteAllTextAsync(
            folder["try.sh"],
            run.Output + $"COMP_WORDS=({string.Join(' ', words.Select(word => $"'{word}'"))})\nCOMP_CWORD={words.Length - 1}\n"
            + "_vectorpipe\necho \"${COMPREPLY[*]}\"\n");
        Assert.That((await RunAsync("bash", folder["try.sh"])).Trim(), Is.EqualTo(expected));
    }

    [TestCase("zsh", "--key-type) compadd ulong long int guid string; return ;;")]
    [TestCase("fish", "complete -c vectorpipe -n '__fish_seen_subcommand_from create' -l key-type -x -a 'ulong long int guid string'")]
    [TestCase("zsh", "completion) compadd bash zsh fish pwsh; return ;;")]
    [TestCase("fish", "complete -c vectorpipe -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish pwsh'")]
    [TestCase("PWSH", "'--key-type' = @('ulong', 'long', 'int', 'guid', 'string')")]
    public async Task Other_shells_have_every_verb_and_the_names_of_values(string shell, string expected)
    {
        string script = (await ToolRun.SucceedAsync("completion", shell)).Output;
        Assert.That(script, Does.Contain(expected));
        foreach (string verb in new[] { "build", "search", "upsert", "doctor", "completion" })
            Assert.That(script, Does.Contain(verb));
        Assert.That(script, Does.Contain("read-cost-us"), "an option that only the whole help shows");
        Assert.That(script, Does.Not.Contain("Required"), "what an option is for, not whether it must be there");
        Assert.That(script, Does.Not.Contain("\r"));
    }

    [TestCase("zsh", "-n")]
    [TestCase("fish", "-n")]
    public async Task A_shell_that_is_here_reads_its_script(string shell, string check)
    {
        using var folder = new TempFolder();
        await File.WriteAllTextAsync(folder["script"], (await ToolRun.SucceedAsync("completion", shell)).Output);
        await RunAsync(shell, check, folder["script"]);
    }

    [Test]
    public async Task A_shell_that_is_unknown_is_refused() =>
        (await ToolRun.RunAsync("completion", "tcsh")).AssertFailed(
            ExitCodes.BadInput, "SHELL: expected one of bash, zsh, fish, pwsh; found 'tcsh'");

    private static async Task<string> RunAsync(string shell, params string[] args)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(shell, args) { RedirectStandardOutput = true })!;
            string output = await process.StandardOutput.ReadToEndAsync();
            await process.WaitForExitAsync();
            Assert.That(process.ExitCode, Is.Zero);
            return output;
        }
        catch (Win32Exception)
        {
            Assert.Ignore($"{shell} is not installed.");
            return "";
        }
    }
}
