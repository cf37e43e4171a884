using System.Text;
using System.Xml.Linq;

namespace VectorPipe.Extensions.Tests.Reference;

/// <summary>XML comments of assemblies, as Markdown.</summary>
internal sealed class CommentText
{
    private const int Columns = 120;

    private readonly Dictionary<string, XElement> _members = [];

    /// <param name="files">The files that the compiler wrote beside the assemblies.</param>
    public CommentText(IEnumerable<string> files)
    {
        foreach (XElement member in files.SelectMany(file => XDocument.Load(file).Descendants("member")))
            _members[member.Attribute("name")!.Value] = member;
    }

    /// <summary>The comment of a type or a member; null if it has none.</summary>
    public XElement? Find(string id)
    {
        if (!_members.TryGetValue(id, out XElement? member))
            return null;

        // A comment of a whole member, taken over from another one that it names.
        return member.Element("inheritdoc")?.Attribute("cref")?.Value is { } other && member.Element("summary") is null
            ? Find(other) ?? member
            : member;
    }

    /// <summary>The text of an element in one line; empty for none.</summary>
    public static string LineOf(XElement? element) =>
        element is null ? "" : string.Join(' ', TextOf(element).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));

    /// <summary>Wraps a line at words.</summary>
    /// <param name="line">Words with single blanks between them.</param>
    /// <param name="first">What comes before the first line, and is indented away on others.</param>
    public static string Wrap(string line, string first = "")
    {
        string indent = new(' ', first.Length);
        var page = new StringBuilder(first);
        int at = first.Length;
        foreach (string word in line.Split(' '))
        {
            bool isFirst = at == first.Length;
            if (!isFirst && at + 1 + word.Length > Columns)
            {
                page.Append('\n').Append(indent);
                at = indent.Length;
                isFirst = true;
            }

            page.Append(isFirst ? "" : " ").Append(word);
            at += word.Length + (isFirst ? 0 : 1);
        }

        return page.Append('\n').ToString();
    }

    private static string TextOf(XElement element) => string.Concat(element.Nodes().Select(node => node switch
    {
        XText text => text.Value,
        XElement { Name.LocalName: "see" or "seealso" or "paramref" or "typeparamref" } reference => Reference(reference),
        XElement { Name.LocalName: "c" or "code" } code => $"`{code.Value.Trim()}`",
        XElement { Name.LocalName: "para" or "br" } paragraph => $" {TextOf(paragraph)} ",
        XElement other => TextOf(other),
        _ => "",
    }));

    private static string Reference(XElement element)
    {
        string? address = element.Attribute("href")?.Value;
        if (address is not null)
            return $"[{(element.Value.Length == 0 ? address : element.Value)}]({address})";
        string? name = element.Attribute("cref")?.Value is { } id
            ? NameOf(id)
            : element.Attribute("name")?.Value ?? element.Attribute("langword")?.Value;
        return element.Value.Length > 0 ? element.Value : $"`{name}`";
    }

    /// <summary>The name that a reader knows of what an id names: the type, and the member.</summary>
    public static string NameOf(string id)
    {
        string name = id[2..].Split('(')[0];
        string[] parts = [.. name.Split('.').Select(part => part.Split('`')[0])];
        return id[0] == 'T' || parts.Length == 1 ? parts[^1] : parts[^1] == "#ctor" ? parts[^2] : $"{parts[^2]}.{parts[^1]}";
    }
}
