using System.Reflection;
using CommandLine;
using NUnit.Framework;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Tests;

/// <summary>The page about the server names what there is.</summary>
[TestFixture]
public sealed class DocumentTests
{
    [Test]
    public void Every_command_is_on_the_page()
    {
        string page = Page();
        IEnumerable<string> missing = CommandInfo.All.Select(command => command.Name.ToUpperInvariant())
            .Where(name => !System.Text.RegularExpressions.Regex.IsMatch(page, $@"[`\s]{name}[`\s]"));
        Assert.That(missing, Is.Empty);
        Assert.That(CommandInfo.All, Has.Count.GreaterThan(40));
    }

    [Test]
    public void Every_option_is_on_the_page_with_its_default()
    {
        string[] lines = Page().Split('\n');
        OptionAttribute[] options =
            [.. typeof(ServerOptions).GetProperties().Select(property => property.GetCustomAttribute<OptionAttribute>()!)];
        foreach (OptionAttribute option in options)
        {
            string line = lines.Single(
                line => line.StartsWith("| ", StringComparison.Ordinal)
                    && line.Split('|')[1].Contains($"`--{option.LongName}`", StringComparison.Ordinal));
            if (option.Default is { } value)
                Assert.That(line.Split('|')[2].Trim(), Is.EqualTo(FormattableString.Invariant($"{value}")), option.LongName);
        }

        Assert.That(options, Has.Length.GreaterThan(5));
    }

    private static string Page()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "VectorPipe.sln")))
            folder = folder.Parent;
        Assume.That(folder, Is.Not.Null, "The sources are not above the folder of the test binaries.");
        return File.ReadAllText(Path.Combine(folder!.FullName, "docs", "server.md"));
    }
}
