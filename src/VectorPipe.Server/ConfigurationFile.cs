namespace VectorPipe.Server;

/// <summary>Options in a file, one a line: <c>name value</c>, as in redis.conf. <c>#</c> begins a comment.</summary>
internal static class ConfigurationFile
{
    /// <summary>Puts the options of a file, which may be the first argument, before those of the command line, which count more.</summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static string[] Expand(string[] args)
    {
        if (args.Length == 0 || args[0].StartsWith('-'))
            return args;
        var options = new List<string>();
        foreach (string line in File.ReadLines(args[0]))
        {
            string[] words = line.Trim().Split((char[]?)null, 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            if (words.Length == 0 || words[0].StartsWith('#'))
                continue;
            string name = "--" + words[0];
            if (Array.Exists(args, arg => arg == name || arg.StartsWith(name + "=", StringComparison.Ordinal)))
                continue;
            options.Add(words.Length == 1 ? name : $"{name}={Unquote(words[1])}");
        }

        return [.. options, .. args[1..]];
    }

    private static string Unquote(string value) =>
        value.Length >= 2 && value[0] == '"' && value[^1] == '"' ? value[1..^1] : value;
}
