using System.Text;

namespace VectorPipe.Tool.Completion;

/// <summary>The completion of fish: a line for each verb and each option (complete(1)).</summary>
internal sealed class FishScript(string program, IReadOnlyList<CommandVerb> verbs)
{
    public override string ToString()
    {
        Dictionary<string, IReadOnlyList<string>> values =
            OptionValues.Of(verbs).ToDictionary(value => value.Word, value => value.Names);
        var script = new StringBuilder();
        foreach (CommandVerb verb in verbs)
        {
            script.Append($"complete -c {program} -n __fish_use_subcommand -f -a {verb.Name} -d {Quoted(verb.Help)}\n");
            if (values.TryGetValue(verb.Name, out IReadOnlyList<string>? own))
                script.Append($"complete -c {program} -n '__fish_seen_subcommand_from {verb.Name}' -f -a '{string.Join(' ', own)}'\n");
            foreach (CommandOption option in verb.Options)
            {
                string name = option.Name.StartsWith("--", StringComparison.Ordinal) ? $"-l {option.Name[2..]}" : $"-s {option.Name[1..]}";
                string value = option.IsFlag ? ""
                    : values.TryGetValue(option.Name, out IReadOnlyList<string>? names) ? $" -x -a '{string.Join(' ', names)}'" : " -r";
                script.Append(
                    $"complete -c {program} -n '__fish_seen_subcommand_from {verb.Name}' {name}{value} -d {Quoted(option.Purpose)}\n");
            }
        }

        return script.ToString();
    }

    private static string Quoted(string help)
    {
        string text = HelpPage.FirstSentence(help).Replace("\\", "\\\\", StringComparison.Ordinal);
        return $"'{text.Replace("'", "\\'", StringComparison.Ordinal)}'";
    }
}
