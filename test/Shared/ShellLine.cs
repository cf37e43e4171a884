using System.Text;

namespace VectorPipe.TestHost;

/// <summary>A command line as a shell reads it, if it is so simple that a test can do without one.</summary>
/// <param name="Words">The program and its arguments.</param>
/// <param name="Output">The file that receives what it prints, or null.</param>
/// <param name="NeedsShell">Whether there is more to it, a pipe for instance: then the words are not all.</param>
internal sealed record ShellLine(string[] Words, string? Output, bool NeedsShell)
{
    // Brackets, braces and * are not among them: a name that they match with is not in the folder of a test.
    private const string Special = "|&;()<$`";

    /// <summary>Reads a line, or several that backslashes or quotes join.</summary>
    public static ShellLine Parse(string line)
    {
        var words = new List<string>();
        bool needsShell = false;
        int output = -1;
        for (int at = 0; at < line.Length;)
        {
            if (line[at] is ' ' or '\n')
            {
                at++;
                continue;
            }

            if (line[at] == '>')
            {
                output = words.Count;
                at++;
                continue;
            }

            if (line[at] == '\\' && at + 1 < line.Length && line[at + 1] == '\n')
            {
                at += 2;
                continue;
            }

            var word = new StringBuilder();
            while (at < line.Length && line[at] is not (' ' or '\n' or '>'))
            {
                char letter = line[at++];
                if (letter is '\'' or '"')
                {
                    int end = line.IndexOf(letter, at);
                    word.Append(line, at, end - at);
                    at = end + 1;
                    continue;
                }

                needsShell |= Special.Contains(letter, StringComparison.Ordinal) || (letter == '~' && word.Length == 0) || letter == '\\';
                word.Append(letter);
            }

            words.Add(word.ToString());
        }

        // What follows > is the last word.
        needsShell |= output >= 0 && output != words.Count - 1;
        return output >= 0 && !needsShell
            ? new ShellLine([.. words[..output]], words[output], false)
            : new ShellLine([.. words], null, needsShell);
    }

    /// <summary>Whether the line ends outside of quotes, and not with a backslash.</summary>
    public static bool IsWhole(string line)
    {
        char quote = '\0';
        foreach (char letter in line)
        {
            if (letter == quote)
                quote = '\0';
            else if (quote == '\0' && letter is '\'' or '"')
                quote = letter;
        }

        return quote == '\0' && !line.EndsWith('\\');
    }
}
