using System.Globalization;
using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>The samples run, and those that a page prints are what it prints.</summary>
public sealed class SampleTests
{
    [Test]
    public void The_first_programs_of_the_README_are_a_sample() =>
        Assert.That(Repository.Read("samples/Hello/Program.cs"), Is.EqualTo(string.Join('\n', Repository.BlocksOf("README.md", "csharp"))));

    [TestCase("Hello", "    42  1.0000", 11)]
    [TestCase("EncryptedIndex", "With the key: 196 pages, 0 defects", 8, Category = "Heavy")]
    [TestCase("Notes", "Deleted the note on tyres.", 10)]
    [TestCase("Recommendations", "More like tent-42, at most two of a brand", 20)]
    public async Task A_sample_runs(string name, string expected, int lines)
    {
        using var folder = new TempFolder();
        SampleRun run = await SampleRun.SucceedAsync(folder.Root, name, folder["collection"]);
        Assert.That(run.Output.Split('\n'), Has.Length.GreaterThanOrEqualTo(lines).And.Contain(expected));
    }

    [Test]
    public async Task The_first_command_of_the_README_shows_recall_latency_and_reads()
    {
        using var folder = new TempFolder();
        string[] lines = (await SampleRun.SucceedAsync(folder.Root, "QuickStart", "2000")).Output.Split('\n');
        Assert.That(lines[0], Does.StartWith("2,000 vectors of 128 bytes, 1,000 queries"));
        int names = Array.FindIndex(lines, line => line.StartsWith("aim at", StringComparison.Ordinal));
        string[][] rows =
            [.. lines.Skip(names + 1).Take(4).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
        Assert.That(rows.Select(row => row[0]), Is.EqualTo(new[] { "0.8", "0.9", "0.95", "0.99" }));
        foreach (string[] row in rows)
        {
            double[] figures = [.. row.Select(figure => double.Parse(figure, CultureInfo.InvariantCulture))];
            Assert.That(figures, Has.Length.EqualTo(6).And.All.Positive);
            Assert.That(figures[1], Is.InRange(figures[0] - 0.02, 1), "recall");
        }

        SampleRun refused = await SampleRun.RunAsync(folder.Root, "QuickStart", "many");
        Assert.That((refused.ExitCode, refused.Error), Is.EqualTo((2, "Usage: QuickStart [VECTORS]: 1000 to 10000000 vectors; 100000 "
            + $"without an argument.{Environment.NewLine}")));
    }

    [TestCase(300)]
    [TestCase(2000, Category = "Heavy")]
    public async Task Embeddings_and_titles_are_imported_and_searched_with_a_filter(int count)
    {
        // It makes two thousand by itself.
        using var folder = new TempFolder();
        string[] own = count < 2000 ? await WriteBooksAsync(folder["books"], count) : [];
        string[] lines =
            (await SampleRun.SucceedAsync(folder.Root, "ImportFromNumpy", [folder["books"], .. own])).Output.TrimEnd().Split('\n');
        Assert.That(lines, Does.Contain($"{count} of {count} imported"));
        Assert.That(lines[^5..], Has.All.Match(@"^0\.\d{3}  20\d\d  Volume \d+ on whales$"));

        await File.WriteAllLinesAsync(folder["short.jsonl"], File.ReadLines(folder["books.jsonl"]).Take(7));
        SampleRun refused = await SampleRun.RunAsync(
            folder.Root, "ImportFromNumpy", folder["other"], folder["books.npy"], folder["short.jsonl"]);
        Assert.That(refused.Error, Does.Contain($"expected a line for each of {count} vectors, found 7 lines"));
        Assert.That(refused.ExitCode, Is.Not.Zero);
    }

    // Every fifth on whales, near each other.
    private static async Task<string[]> WriteBooksAsync(string prefix, int count)
    {
        var random = new Random(1);
        await using (VectorFileWriter vectors = VectorFileWriter.Create(prefix + ".npy", VectorElementType.Float32, dimension: 20))
        {
            for (int i = 0; i < count; i++)
            {
                float[] vector = [.. Enumerable.Range(0, 20).Select(at => random.NextSingle() + (at % 5 == i % 5 ? 1 : 0))];
                await vectors.WriteAsync(MemoryMarshal.AsBytes(vector.AsSpan()).ToArray());
            }

            await vectors.CompleteAsync();
        }

        await File.WriteAllLinesAsync(
            prefix + ".jsonl",
            Enumerable.Range(0, count).Select(
                i => $$"""{"title": "Volume {{i}} on {{(i % 5 == 0 ? "whales" : "chess")}}", "year": {{1950 + (i % 75)}}}"""));
        return [prefix + ".npy", prefix + ".jsonl"];
    }
}
