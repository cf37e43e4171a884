using System.Reflection;
using CommandLine;
using NUnit.Framework;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Tests;

/// <summary>The page about the server names what there is.</summary>
[TestFixture]
public sealed class DocumentTests
{
    /// <summary>The options of the server.</summary>
    public static IReadOnlyList<OptionAttribute> Options { get; } =
        [.. typeof(ServerOptions).GetProperties().Select(property => property.GetCustomAttribute<OptionAttribute>()!)];

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
        foreach (OptionAttribute option in Options)
        {
            string line = lines.Single(
                line => line.StartsWith("| ", StringComparison.Ordinal)
                    && line.Split('|')[1].Contains($"`--{option.LongName}`", StringComparison.Ordinal));
            if (option.Default is { } value)
                Assert.That(line.Split('|')[2].Trim(), Is.EqualTo(FormattableString.Invariant($"{value}")), option.LongName);
        }

        Assert.That(Options, Has.Count.GreaterThan(5));
    }

    private static string Page() => Repository.Read("docs/server.md");
}
