using NUnit.Framework;

namespace VectorPipe.Tests;

/// <summary>The public surface is a decision: a change of it shows in a file that is checked in.</summary>
internal sealed class PublicApiTests
{
    private const string Accept = "VECTORPIPE_APPROVE";

    [Test]
    public void The_public_surface_is_the_approved_one()
    {
        string path = ApprovedPath();
        string found = PublicApiText.Of(typeof(BuildOptions).Assembly);
        if (Environment.GetEnvironmentVariable(Accept) == "1")
            File.WriteAllText(path, found);

        if (!File.Exists(path))
            Assert.Fail($"Expected the approved public surface in {path}, found no such file. {HowToAccept}");
        string[] approvedLines = Lines(File.ReadAllText(path));
        string[] foundLines = Lines(found);

        Assert.That(foundLines, Is.EqualTo(approvedLines), () => $"{Difference(approvedLines, foundLines)}\n{HowToAccept}");
    }

    [Test]
    public void Lines_that_differ_are_named_with_the_type_they_belong_to()
    {
        string difference = Difference(["class A", "    int X", "class B", "    int X"], ["class A", "    int X", "class B", "    long X"]);

        Assert.That(difference, Is.EqualTo("  class B\n-     int X\n+     long X"));
    }

    private static string HowToAccept => $"To accept the public surface as it is now, run the tests once with {Accept}=1 and check the file in.";

    /// <summary>The file in the source tree that the tests were built in; a build may hide source paths from the compiler, so it is looked for.</summary>
    private static string ApprovedPath()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "VectorPipe.sln")))
            folder = folder.Parent;
        Assert.That(folder, Is.Not.Null, $"Expected VectorPipe.sln in a folder above {AppContext.BaseDirectory}, found none.");
        return Path.Combine(folder!.FullName, "test", "VectorPipe.Tests", "PublicApi.approved.txt");
    }

    private static string[] Lines(string text) => text.ReplaceLineEndings("\n").TrimEnd('\n').Split('\n');

    /// <summary>What is gone (-) and what is new (+), type by type.</summary>
    private static string Difference(string[] approved, string[] found)
    {
        ILookup<string, string> before = ByType(approved);
        ILookup<string, string> after = ByType(found);
        return string.Join('\n', before.Select(group => group.Key).Union(after.Select(group => group.Key)).SelectMany(type =>
        {
            string[] changes = [.. before[type].Except(after[type]).Select(line => "- " + line), .. after[type].Except(before[type]).Select(line => "+ " + line)];
            return changes.Length == 0 ? changes : ["  " + type, .. changes];
        }));
    }

    /// <summary>The lines, each under the unindented line before it; a type is a line of its own too, so that one without members shows.</summary>
    private static ILookup<string, string> ByType(string[] lines)
    {
        string type = "";
        return lines.Where(line => line.Length > 0).Select(line =>
        {
            bool isType = !line.StartsWith(' ');
            type = isType ? line : type;
            return (Type: type, Line: line);
        }).ToLookup(pair => pair.Type, pair => pair.Line);
    }
}
