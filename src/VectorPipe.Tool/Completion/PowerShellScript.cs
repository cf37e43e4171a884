using System.Text;

namespace VectorPipe.Tool.Completion;

/// <summary>The completion of PowerShell: verbs, options and names of values (Register-ArgumentCompleter).</summary>
internal sealed class PowerShellScript(string program, IReadOnlyList<CommandVerb> verbs)
{
    public override string ToString()
    {
        var script = new StringBuilder()
            .Append($"Register-ArgumentCompleter -Native -CommandName {program} -ScriptBlock {{\n")
            .Append("    param($word, $command, $position)\n")
            .Append("    $options = [ordered]@{\n");
        foreach (CommandVerb verb in verbs)
            script.Append($"        '{verb.Name}' = {List(verb.Options.Select(option => option.Name))}\n");
        script.Append("    }\n")
            .Append("    $values = @{\n");
        foreach ((string word, IReadOnlyList<string> names) in OptionValues.Of(verbs))
            script.Append($"        '{word}' = {List(names)}\n");
        return script.Append("    }\n")
            .Append("    $words = @($command.CommandElements | ForEach-Object { $_.ToString() })\n")
            .Append("    if ($word) { $words = @($words | Select-Object -SkipLast 1) }\n")
            .Append("    $found = if ($words.Count -eq 1) { $options.Keys }\n")
            .Append("        elseif ($values.ContainsKey($words[-1])) { $values[$words[-1]] }\n")
            .Append("        elseif ($word -like '-*') { $options[$words[1]] }\n")
            .Append("    $found | Where-Object { $_ -like \"$word*\" } |\n")
            .Append("        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }\n")
            .Append("}\n")
            .ToString();
    }

    private static string List(IEnumerable<string> names) => $"@({string.Join(", ", names.Select(name => $"'{name}'"))})";
}
