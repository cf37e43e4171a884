using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Comparisons;

/// <summary>A figure of a row, on both sides.</summary>
/// <param name="A">Its values on side A; null if the files have none.</param>
internal sealed record ComparisonRow(MatchedRow Row, string Figure, Spread? A, Spread? B)
{
    private const string None = "-";

    /// <summary>The median of B over that of A; null if there is none.</summary>
    public double? Ratio => A is { Median: not 0 } && B is not null && double.IsFinite(B.Median / A.Median) ? B.Median / A.Median : null;

    /// <summary>Whether the ranges of the runs have nothing in common; null if a side has no two runs.</summary>
    public bool? IsApart => A is null || B is null ? null : A.IsApart(B);

    /// <summary>Whether any two values differ.</summary>
    public bool Differs => A is null || B is null || A.Least != A.Most || B.Least != B.Most || A.Least != B.Least;

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns(RowNames names) =>
    [
        .. names.ToColumns(Row),
        new("figure", Figure),
        new("a", A?.Median),
        new("a_min", A?.Least),
        new("a_max", A?.Most),
        new("a_runs", A?.Runs ?? 0),
        new("b", B?.Median),
        new("b_min", B?.Least),
        new("b_max", B?.Most),
        new("b_runs", B?.Runs ?? 0),
        new("ratio", Ratio),
        new("apart", IsApart),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<ComparisonRow> rows, RowNames names) => FigureTable.Create(
        rows, startsWithName: true,
        ("row", row => Markup.Escape(names.Of(row.Row))),
        ("figure", row => Markup.Escape(row.Figure)),
        ("A", row => Show(row.A?.Median)),
        ("B", row => Show(row.B?.Median)),
        ("B/A", row => row.Ratio is { } ratio ? $"{ratio:F3}" : None),
        ("spread of A", row => Range(row.A)),
        ("spread of B", row => Range(row.B)),
        ("apart", row => row.IsApart switch { null => None, true => "*", false => "" }));

    private static string Range(Spread? spread) =>
        spread is { Runs: > 1 } ? $"{Show(spread.Least)} to {Show(spread.Most)}" : None;

    // Four digits tell a difference of a per mille; more would hide it.
    private static string Show(double? value) => value is not { } number ? None : Math.Abs(number) switch
    {
        0 => "0",
        < 1e-4 or >= 1e15 => $"{number:G4}",
        >= 1000 => $"{number:F0}",
        >= 100 => $"{number:0.#}",
        >= 10 => $"{number:0.##}",
        >= 1 => $"{number:0.###}",
        _ => $"{number:0.#####}",
    };
}
