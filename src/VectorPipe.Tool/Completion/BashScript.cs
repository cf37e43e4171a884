using System.Text;

namespace VectorPipe.Tool.Completion;

/// <summary>The completion of bash: verbs, options, their names of values, else files (bash(1), Programmable Completion).</summary>
internal sealed class BashScript(string program, IReadOnlyList<CommandVerb> verbs)
{
    public override string ToString()
    {
        var script = new StringBuilder()
            .Append($"_{program}() {{\n")
            .Append("    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n")
            .Append("    COMPREPLY=()\n")
            .Append("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n")
            .Append($"        words='{string.Join(' ', verbs.Select(verb => verb.Name))}'\n")
            .Append("    else\n")
            .Append("        case $previous in\n");
        foreach ((string word, IReadOnlyList<string> names) in OptionValues.Of(verbs))
            script.Append($"            {word}) words='{string.Join(' ', names)}' ;;\n");
        script.Append("        esac\n")
            .Append("        if [ -z \"$words\" ] && [[ $word == -* ]]; then\n")
            .Append("            case ${COMP_WORDS[1]} in\n");
        foreach (CommandVerb verb in verbs)
            script.Append($"                {verb.Name}) words='{string.Join(' ', verb.Options.Select(option => option.Name))}' ;;\n");
        return script.Append("            esac\n")
            .Append("        fi\n")
            .Append("    fi\n")
            .Append("    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n")
            .Append("}\n")
            .Append($"complete -o default -F _{program} {program}\n")
            .ToString();
    }
}
