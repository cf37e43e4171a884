using System.Buffers;
using System.Globalization;
using System.Text;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Tests.Conformance;

/// <summary>A command and its reply in both versions of the protocol.</summary>
/// <param name="Line">The line of the file.</param>
/// <param name="Arguments">The command.</param>
/// <param name="Version2">The reply, a character a byte.</param>
/// <param name="Version3">That of version 3.</param>
internal sealed record ConformanceCase(int Line, string[] Arguments, string Version2, string Version3)
{
    /// <summary>
    /// Reads a file: <c>&gt;</c> before a command, then <c>=</c> before the reply in both versions, or <c>2</c> and <c>3</c> before each.
    /// </summary>
    public static IReadOnlyList<ConformanceCase> Read(string path)
    {
        var cases = new List<ConformanceCase>();
        string[] lines = File.ReadAllLines(path);
        string? version2 = null;
        (int Line, string[] Arguments) command = (0, []);
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i];
            if (line.Length == 0 || line[0] == '#')
                continue;
            string rest = line[2..];
            switch (line[0])
            {
                case '>':
                    command = (i + 1, Split(rest));
                    break;
                case '=':
                    cases.Add(new ConformanceCase(command.Line, command.Arguments, Unescape(rest), Unescape(rest)));
                    break;
                case '2':
                    version2 = Unescape(rest);
                    break;
                case '3':
                    cases.Add(new ConformanceCase(command.Line, command.Arguments, version2!, Unescape(rest)));
                    break;
                default:
                    throw new FormatException($"{path}:{i + 1}: expected >, =, 2, 3 or #, found {line[0]}");
            }
        }

        return cases;
    }

    private static string[] Split(string line)
    {
        var command = new RespCommand();
        InlineCommand.Read(new ReadOnlySequence<byte>(Encoding.Latin1.GetBytes(line)), command);
        return [.. Enumerable.Range(0, command.Count).Select(at => Encoding.Latin1.GetString(command[at]))];
    }

    // A blank ends a line of the protocol; \_ is a blank, \xHH a byte, \e an empty line.
    private static string Unescape(string text)
    {
        var bytes = new StringBuilder();
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            string line = word == "\\e" ? "" : word.Replace("\\_", " ", StringComparison.Ordinal);
            for (int at = line.IndexOf("\\x", StringComparison.Ordinal); at >= 0; at = line.IndexOf("\\x", StringComparison.Ordinal))
            {
                char value = (char)int.Parse(line.AsSpan(at + 2, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                line = string.Concat(line.AsSpan(0, at), value.ToString(), line.AsSpan(at + 4));
            }

            bytes.Append(line).Append("\r\n");
        }

        return bytes.ToString();
    }
}
