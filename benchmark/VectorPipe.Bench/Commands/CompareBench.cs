using VectorPipe.Bench.Comparisons;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench compare</c>.</summary>
internal static class CompareBench
{
    public static async Task<int> RunAsync(CompareBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        (IReadOnlyList<string> a, IReadOnlyList<string> b) = arguments.Sides;
        var comparison = Comparison.Create(
            await LoadAsync(a, cancellationToken), await LoadAsync(b, cancellationToken), [.. arguments.Figures]);
        foreach (ConfigurationDifference difference in comparison.Differences)
            console.Note(difference.ToString());
        Print(comparison, console);
        await OutputFile.WriteJsonAsync(arguments.JsonOutput, comparison.ToJson(), console.Documents, cancellationToken);
        await OutputFile.WriteCsvAsync(
            arguments.CsvOutput, comparison.Rows.Select(row => row.ToColumns(comparison.Names)), console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }

    private static void Print(Comparison comparison, ToolConsole console)
    {
        if (comparison.Rows.Count > 0)
            console.Write(ComparisonRow.CreateTable(comparison.Rows, comparison.Names));
        if (comparison.EqualFigures > 0)
            console.WriteLine($"{comparison.EqualFigures} figures are equal in all files.");
        if (comparison.Rows.Any(row => row.IsApart == true))
        {
            console.WriteLine(
                "*: the ranges of the runs have nothing in common. Without any difference, that would happen to one figure in "
                + $"{comparison.FiguresForOneApart:0.#}.");
        }

        if (comparison.Incomplete.Count > 0)
            console.WriteLine("Rows that not all files have:");
        foreach (MatchedRow row in comparison.Incomplete)
            console.WriteLine($"  {comparison.Describe(row)}");
    }

    private static async Task<IReadOnlyList<ResultFile>> LoadAsync(IEnumerable<string> paths, CancellationToken cancellationToken)
    {
        List<ResultFile> files = [];
        foreach (string path in paths)
            files.Add(await ResultFile.LoadAsync(path, cancellationToken));
        return files;
    }
}
