using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Completion;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe completion</c>.</summary>
internal static class CompletionCommand
{
    public const string Verb = "completion";

    /// <summary>The names of shells.</summary>
    public static IReadOnlyList<string> Shells => _shells.Names;

    private static readonly Choice<Shell> _shells = new(
        "SHELL", [("bash", Shell.Bash), ("zsh", Shell.Zsh), ("fish", Shell.Fish), ("pwsh", Shell.PowerShell)],
        [("powershell", Shell.PowerShell)]);

    public static async Task<int> RunAsync(
        CompletionArguments arguments, string program, IReadOnlyList<CommandVerb> verbs, ToolConsole console)
    {
        arguments.Check();
        Shell shell = _shells.Parse(arguments.Shell);
        verbs = [.. verbs.Select(verb => verb with { Options = [.. verb.Options, .. HelpPage.Options] })];

        // A script has the line ends of its shell, not of the system.
        await console.Documents.WriteAsync(shell switch
        {
            Shell.Bash => new BashScript(program, verbs).ToString(),
            Shell.Zsh => new ZshScript(program, verbs).ToString(),
            Shell.Fish => new FishScript(program, verbs).ToString(),
            _ => new PowerShellScript(program, verbs).ToString(),
        });
        return ExitCodes.Ok;
    }
}
