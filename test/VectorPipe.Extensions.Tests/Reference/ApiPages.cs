using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Xml.Linq;

namespace VectorPipe.Extensions.Tests.Reference;

/// <summary>Pages of the public types of assemblies, one a namespace, and a page that lists them.</summary>
internal sealed class ApiPages(IReadOnlyList<Assembly> assemblies)
{
    public const string Index = "README.md";

    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private readonly CommentText _comments = new(assemblies.Select(assembly => Path.ChangeExtension(assembly.Location, ".xml")));

    /// <summary>All pages by their names.</summary>
    public SortedDictionary<string, string> Write()
    {
        var pages = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var index = new StringBuilder(
            "# API reference\n\nMade from the comments of the code, by `.ci/accept-reference`: change them there.\n");
        IEnumerable<Type> types = assemblies.SelectMany(assembly => assembly.GetExportedTypes());
        foreach (IGrouping<string, Type> space in types.OrderBy(CodeText.NameOf, StringComparer.Ordinal)
            .GroupBy(type => type.Namespace!).OrderBy(space => space.Key, StringComparer.Ordinal))
        {
            string name = $"{space.Key}.md";
            index.Append($"\n## [{space.Key}]({name})\n\n| Type | |\n|---|---|\n");
            var page = new StringBuilder($"# {space.Key}\n\n[All types]({Index})\n");
            foreach (Type type in space)
            {
                string summary = CommentText.LineOf(Comment(type)?.Element("summary"));
                string cell = summary.Replace("|", "\\|", StringComparison.Ordinal);
                index.Append($"| [`{CodeText.NameOf(type)}`]({name}#{Anchor(type)}) | {cell} |\n");
                WriteType(page, type);
            }

            pages[name] = page.ToString();
        }

        pages[Index] = index.ToString();
        return pages;
    }

    private void WriteType(StringBuilder page, Type type)
    {
        XElement? comment = Comment(type);
        page.Append($"\n## {CodeText.NameOf(type).Replace("<", "\\<", StringComparison.Ordinal)}\n\n");
        page.Append($"```csharp\n{CodeText.DeclarationOf(type)}\n```\n");
        WriteParagraphs(page, comment?.Element("summary"), comment?.Element("remarks"));
        WriteList(page, (comment?.Elements("typeparam") ?? []).Select(Parameter));
        foreach (MemberInfo member in Members(type))
            WriteMember(page, type, member);
    }

    private void WriteMember(StringBuilder page, Type type, MemberInfo member)
    {
        XElement? comment = Find(member);

        // A property of a positional record is described as its parameter.
        XElement? summary = comment?.Element("summary") ?? Comment(type)?.Elements("param")
            .FirstOrDefault(parameter => parameter.Attribute("name")!.Value == member.Name);
        page.Append($"\n#### `{CodeText.SignatureOf(member)}`\n");
        WriteParagraphs(page, summary, comment?.Element("remarks"));
        IEnumerable<XElement> elements = comment?.Elements() ?? [];
        WriteList(page,
        [
            .. elements.Where(element => element.Name.LocalName is "typeparam" or "param").Select(Parameter),
            .. elements.Where(element => element.Name.LocalName == "returns").Select(element => ("returns", element)),
            .. elements.Where(element => element.Name.LocalName == "exception")
                .Select(element => ($"throws `{CommentText.NameOf(element.Attribute("cref")!.Value)}`", element)),
        ]);
    }

    private static (string Name, XElement Text) Parameter(XElement element) => ($"`{element.Attribute("name")!.Value}`", element);

    private static void WriteParagraphs(StringBuilder page, params XElement?[] elements)
    {
        foreach (XElement element in elements.OfType<XElement>())
            page.Append('\n').Append(CommentText.Wrap(CommentText.LineOf(element)));
    }

    private static void WriteList(StringBuilder page, IEnumerable<(string Name, XElement Text)> items)
    {
        string before = "\n";
        foreach ((string name, XElement text) in items)
        {
            page.Append(before).Append(CommentText.Wrap($"{name}: {CommentText.LineOf(text)}", "- "));
            before = "";
        }
    }

    private XElement? Comment(Type type) => _comments.Find(DocumentationId.Of(type));

    // A comment that says no more than that it is inherited is that of the same member of a base.
    private XElement? Find(MemberInfo member)
    {
        XElement? comment = _comments.Find(DocumentationId.Of(member));
        if (comment?.Element("summary") is not null || member.DeclaringType!.IsInterface)
            return comment;
        return member.DeclaringType.GetInterfaces().Append(member.DeclaringType.BaseType!).Where(parent => parent is not null)
            .SelectMany(parent => (parent.IsGenericType ? parent.GetGenericTypeDefinition() : parent).GetMember(member.Name))
            .Select(inherited => _comments.Find(DocumentationId.Of(inherited))).FirstOrDefault(found => found is not null) ?? comment;
    }

    private static IEnumerable<MemberInfo> Members(Type type) => type.GetMembers(Declared)
        .Where(member => IsPublic(member) && !IsMadeByCompiler(member) && member.Name != "value__")
        .OrderBy(member => member switch { FieldInfo => 0, ConstructorInfo => 1, PropertyInfo => 2, EventInfo => 3, _ => 4 })
        .ThenBy(member => type.IsEnum ? Convert.ToInt64(((FieldInfo)member).GetRawConstantValue(), null) : 0)
        .ThenBy(member => member.Name, StringComparer.Ordinal).ThenBy(CodeText.SignatureOf, StringComparer.Ordinal);

    private static bool IsPublic(MemberInfo member) => member switch
    {
        FieldInfo field => field.IsPublic || field.IsFamily,
        MethodBase { IsSpecialName: true, IsConstructor: false } method =>
            method.IsPublic && method.Name.StartsWith("op_", StringComparison.Ordinal),
        MethodBase method => (method.IsPublic || method.IsFamily) && !(method is ConstructorInfo { IsStatic: true }),
        PropertyInfo property => property.GetMethod is { IsPublic: true } or { IsFamily: true },
        EventInfo => true,
        _ => false,
    };

    // Of a record: equality, copies and text, which all records have.
    private static bool IsMadeByCompiler(MemberInfo member) =>
        member.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false)
        || member.Name is "EqualityContract" or "PrintMembers" or "<Clone>$"
        || (member is ConstructorInfo copy && copy.GetParameters() is [{ } only] && only.ParameterType == copy.DeclaringType);

    private static string Anchor(Type type)
    {
        IEnumerable<char> letters = CodeText.NameOf(type).Where(letter => char.IsLetterOrDigit(letter) || letter is ' ' or '_');
        return string.Concat(letters).Replace(' ', '-').ToLowerInvariant();
    }
}
