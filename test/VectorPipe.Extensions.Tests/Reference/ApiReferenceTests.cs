using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.Reference;

/// <summary>The pages of the API are what the comments of the code say.</summary>
public sealed class ApiReferenceTests
{
    private const string Folder = "docs/api", Accept = "VECTORPIPE_ACCEPT_REFERENCE";

    [Test]
    public void Pages_are_those_of_the_code()
    {
        string folder = Path.Combine(Repository.Root, Folder);
        var pages = new ApiPages(
            [typeof(VectorIndex).Assembly, typeof(VectorCollectionSettings).Assembly, typeof(VectorPipeVectorStore).Assembly]).Write();
        if (Environment.GetEnvironmentVariable(Accept) is not null)
        {
            Directory.CreateDirectory(folder);
            foreach ((string name, string page) in pages)
                File.WriteAllText(Path.Combine(folder, name), page);
        }

        string[] stale = [.. pages.Where(page => ReadOrNull(Path.Combine(folder, page.Key)) != page.Value).Select(page => page.Key)];
        Assert.That(stale, Is.Empty, $"pages of {Folder} that differ from the comments: run .ci/accept-reference");
        Assert.That(Directory.EnumerateFiles(folder).Select(Path.GetFileName), Is.EquivalentTo(pages.Keys));
    }

    [Test]
    public void A_member_is_shown_with_its_signature_and_its_comment()
    {
        string page = new ApiPages([typeof(VectorIndex).Assembly]).Write()["VectorPipe.md"];
        const string heading = "#### `Task<bool> DeleteAsync(TKey key, CancellationToken cancellationToken = default)`";
        int at = page.IndexOf(heading, StringComparison.Ordinal);
        Assert.That(at, Is.Positive);
        string member = page[at..page.IndexOf("\n#### ", at + 1, StringComparison.Ordinal)];
        Assert.That(member, Does.Contain("- `key`: ").And.Contain("- returns: "));
        Assert.That(page, Does.Contain("public record struct SearchHit\n").And.Contain("public sealed record SearchOptions\n"));
        Assert.That(page, Does.Contain("\n## VectorCollection\\<TKey>\n").And.Not.Contain("<see "));
    }

    private static string? ReadOrNull(string path) => File.Exists(path) ? File.ReadAllText(path).ReplaceLineEndings("\n") : null;
}
