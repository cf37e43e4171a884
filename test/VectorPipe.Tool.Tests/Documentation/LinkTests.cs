using System.Text;
using System.Text.RegularExpressions;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Every link of a page within the repository leads somewhere, and readmes of packages lead out of it alone.</summary>
public sealed partial class LinkTests
{
    private const int ReadmeLines = 120;

    // Pages of packages that are not published yet.
    private const string Own = "https://www.nuget.org/packages/VectorPipe";

    [Test]
    public void Links_lead_to_files_and_headings_that_exist()
    {
        string[] pages = [.. Pages()];
        string[] broken =
        [
            .. from page in pages
               from target in LinksOf(page)
               where !IsExternal(target) && Defect(page, target) is not null
               select $"{page}: {target}: {Defect(page, target)}",
        ];

        Assert.That(pages, Has.Length.GreaterThan(15));
        Assert.That(broken, Is.Empty);
    }

    [Test]
    [Explicit("asks other sites")]
    public async Task Links_to_other_sites_lead_somewhere()
    {
        using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
        client.DefaultRequestHeaders.UserAgent.ParseAdd("Mozilla/5.0 (compatible; link check)");
        string[] targets = OtherSites();
        (string Target, string? Defect)[] answers = await Task.WhenAll(
            targets.Select(async target => (target, await DefectOfSiteAsync(client, target))));

        Assert.That(targets, Has.Length.GreaterThan(20));
        Assert.That(answers.Where(answer => answer.Defect is not null), Is.Empty);
    }

    [Test]
    public void Links_to_other_sites_are_among_those_that_were_checked()
    {
        string[] targets = OtherSites();
        Assert.That(targets, Has.Length.GreaterThan(20));
        Assert.That(targets.Except(CheckedAddresses.All), Is.Empty, "look at each, then list it in CheckedAddresses");
        Assert.That(CheckedAddresses.All.Except(targets), Is.Empty, "no page links to them");
        Assert.That(CheckedAddresses.All, Is.EqualTo(targets), "in order, each once");
    }

    [Test]
    public void Pages_name_addresses_of_other_sites_as_links_only()
    {
        string[] bare =
        [
            .. from page in Pages()
               from Match address in Address().Matches(WithoutCode(Repository.Read(page)))
               where !LinksOf(page).Contains(address.Value) && !new Uri(address.Value).IsLoopback
               select $"{page}: {address.Value}",
        ];
        Assert.That(bare, Is.Empty);
    }

    [Test]
    public void Readmes_of_packages_link_to_addresses_only()
    {
        string[] readmes = [.. Pages().Where(page => page.StartsWith("src/", StringComparison.Ordinal))];
        Assert.That(readmes, Has.Length.EqualTo(6));
        Assert.That(readmes.SelectMany(LinksOf).Where(target => !IsExternal(target)), Is.Empty);
    }

    [Test]
    public void The_page_of_the_package_shows_the_programs_of_the_README() =>
        Assert.That(
            Repository.BlocksOf("src/VectorPipe/PACKAGE.md", "csharp"), Is.EqualTo(Repository.BlocksOf("README.md", "csharp")));

    [Test]
    public void The_README_can_be_read_in_two_minutes() =>
        Assert.That(Repository.Read("README.md").Count(letter => letter == '\n'), Is.LessThanOrEqualTo(ReadmeLines));

    [Test]
    public void A_heading_that_does_not_exist_is_noticed()
    {
        Assert.That(Defect("README.md", "docs/faq.md#how-do-i-filter"), Is.Null);
        Assert.That(Defect("README.md", "docs/faq.md#how-do-i-fly"), Does.Contain("how-do-i-fly"));
        Assert.That(Defect("README.md", "docs/fad.md"), Does.Contain("no such file"));
    }

    private static IEnumerable<string> Pages() =>
        new[] { "*.md", "docs/*.md", "docs/api/*.md" }.SelectMany(pattern => Directory.EnumerateFiles(Repository.Root, pattern))
        .Concat(Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src")).SelectMany(
            project => Directory.EnumerateFiles(project, "*.md")))
        .Select(path => Path.GetRelativePath(Repository.Root, path).Replace('\\', '/'));

    private static IEnumerable<string> LinksOf(string page) =>
        Link().Matches(WithoutCode(Repository.Read(page))).Select(match => match.Groups["target"].Value);

    private static string[] OtherSites() =>
    [
        .. Pages().SelectMany(LinksOf).Where(target => IsExternal(target) && !target.StartsWith(Own, StringComparison.Ordinal))
            .Distinct().Order(StringComparer.Ordinal),
    ];

    private static bool IsExternal(string target) =>
        target.StartsWith("https://", StringComparison.Ordinal) && Uri.IsWellFormedUriString(target, UriKind.Absolute);

    private static async Task<string?> DefectOfSiteAsync(HttpClient client, string target)
    {
        try
        {
            using HttpResponseMessage answer = await client.GetAsync(target, HttpCompletionOption.ResponseHeadersRead);
            return answer.IsSuccessStatusCode ? null : $"expected a page, found status {(int)answer.StatusCode}";
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            return $"expected a page, found none: {e.Message}";
        }
    }

    private static string? Defect(string page, string target)
    {
        string[] parts = target.Split('#', 2);
        string path = parts[0].Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, parts[0]);
        string full = Path.GetFullPath(Path.Combine(Repository.Root, path));
        if (!File.Exists(full) && !Directory.Exists(full))
            return "expected a file or a folder, found no such file";
        return parts.Length == 1 || HeadingsOf(full).Contains(parts[1]) ? null : $"expected a heading {parts[1]}, found none";
    }

    // The names that web sites of repositories give to headings; a second one of a name has -1 after it.
    private static HashSet<string> HeadingsOf(string file)
    {
        var names = new HashSet<string>();
        foreach (Match heading in Heading().Matches(WithoutCode(File.ReadAllText(file))))
        {
            var name = new StringBuilder();
            foreach (char letter in heading.Groups["text"].Value.Trim().ToLowerInvariant())
            {
                if (char.IsLetterOrDigit(letter) || letter is '-' or '_')
                    name.Append(letter);
                else if (letter == ' ')
                    name.Append('-');
            }

            for (int repeated = 0; !names.Add(repeated == 0 ? $"{name}" : $"{name}-{repeated}"); repeated++)
            {
            }
        }

        return names;
    }

    private static string WithoutCode(string page) => Block().Replace(page.ReplaceLineEndings("\n"), "");

    [GeneratedRegex(@"^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"\]\((?<target>[^()\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"https?://[^()<>`""'\s\]]+[^()<>`""'\s\].,;:]")]
    private static partial Regex Address();

    [GeneratedRegex(@"^#{1,6} (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
