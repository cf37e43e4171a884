using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Commands of pages are read as a shell reads them.</summary>
public sealed class ShellLineTests
{
    [TestCase("vectorpipe count books --filter \"year >= 1980\"", null, "vectorpipe", "count", "books", "--filter", "year >= 1980")]
    [TestCase("curl -d '{\"a\": \"b\"}' --name=\"x y\"z", null, "curl", "-d", "{\"a\": \"b\"}", "--name=x yz")]
    [TestCase("vectorpipe scan books > books.jsonl", "books.jsonl", "vectorpipe", "scan", "books")]
    [TestCase("BENCH build \\\n    --list-size 10,20", null, "BENCH", "build", "--list-size", "10,20")]
    public void Words_and_the_file_of_the_output_are_those_of_a_shell(string line, string? output, params string[] words)
    {
        var parsed = ShellLine.Parse(line);
        Assert.That((parsed.NeedsShell, parsed.Output), Is.EqualTo((false, output)));
        Assert.That(parsed.Words, Is.EqualTo(words));
    }

    [TestCase("vectorpipe scan a | vectorpipe upsert b")]
    [TestCase("source <(vectorpipe completion bash)")]
    [TestCase("vectorpipe completion bash > ~/completion")]
    [TestCase("vectorpipe scan a > out --vectors")]
    [TestCase("vectorpipe scan $HOME")]
    public void What_is_more_than_words_needs_a_shell(string line) => Assert.That(ShellLine.Parse(line).NeedsShell);

    [TestCase("a 'b", false)]
    [TestCase("a 'b\nc'", true)]
    [TestCase("a \\", false)]
    [TestCase("a \"it's\"", true)]
    public void A_line_ends_outside_of_quotes_and_without_a_backslash(string line, bool isWhole) =>
        Assert.That(ShellLine.IsWhole(line), Is.EqualTo(isWhole));

    [Test]
    public void Sizes_above_those_of_a_test_are_reduced_alone() =>
        Assert.That(
            PageSizes.Reduce(["build", "--points", "5000000", "-k", "20000", "--data-mb", "1,256"]),
            Is.EqualTo(new[] { "build", "--points", "1200", "-k", "20000", "--data-mb", "1,4" }));
}
