using System.Text;

namespace VectorPipe.Tool.Completion;

/// <summary>The completion of zsh: verbs and options with what they are for, names of values, else files (zshcompsys(1)).</summary>
internal sealed class ZshScript(string program, IReadOnlyList<CommandVerb> verbs)
{
    public override string ToString()
    {
        var script = new StringBuilder()
            .Append($"#compdef {program}\n")
            .Append($"_{program}() {{\n")
            .Append("    local -a found\n")
            .Append("    if (( CURRENT == 2 )); then\n")
            .Append("        found=(\n");
        foreach (CommandVerb verb in verbs)
            script.Append($"            {Entry(verb.Name, verb.Help)}\n");
        script.Append("        )\n")
            .Append("        _describe verb found\n")
            .Append("        return\n")
            .Append("    fi\n")
            .Append("    case ${words[CURRENT-1]} in\n");
        foreach ((string word, IReadOnlyList<string> names) in OptionValues.Of(verbs))
            script.Append($"        {word}) compadd {string.Join(' ', names)}; return ;;\n");
        script.Append("    esac\n")
            .Append("    if [[ ${words[CURRENT]} == -* ]]; then\n")
            .Append("        case ${words[2]} in\n");
        foreach (CommandVerb verb in verbs)
        {
            script.Append($"            {verb.Name}) found=(\n");
            foreach (CommandOption option in verb.Options)
                script.Append($"                {Entry(option.Name, option.Purpose)}\n");
            script.Append("            ) ;;\n");
        }

        return script.Append("        esac\n")
            .Append("        _describe -o option found\n")
            .Append("        return\n")
            .Append("    fi\n")
            .Append("    _files\n")
            .Append("}\n")
            .Append($"compdef _{program} {program}\n")
            .ToString();
    }

    // The first colon ends the name.
    private static string Entry(string name, string help) =>
        $"'{name}:{HelpPage.FirstSentence(help).Replace("'", "'\\''", StringComparison.Ordinal)}'";
}
