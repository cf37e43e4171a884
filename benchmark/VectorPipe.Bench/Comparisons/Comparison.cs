using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>The comparison of the reports of two sides.</summary>
/// <param name="Names">Names the rows.</param>
/// <param name="Differences">Members of the configuration that differ.</param>
/// <param name="Rows">Figures of the rows that both sides have.</param>
/// <param name="EqualFigures">Figures that were left out, since all their values are equal.</param>
/// <param name="Incomplete">Rows that not all files have.</param>
internal sealed record Comparison(
    IReadOnlyList<ResultFile> A, IReadOnlyList<ResultFile> B, RowNames Names, IReadOnlyList<ConfigurationDifference> Differences,
    IReadOnlyList<ComparisonRow> Rows, int EqualFigures, IReadOnlyList<MatchedRow> Incomplete)
{
    /// <summary>Of as many figures that do not differ at all, one has ranges without anything in common by chance.</summary>
    /// <remarks>All orders of the values are equally likely then, and two of the ways to choose those of A keep the sides apart.</remarks>
    public double FiguresForOneApart =>
        Enumerable.Range(1, A.Count).Aggregate(1.0, (ways, i) => ways * (B.Count + i) / i) / 2;

    /// <param name="figures">The figures to compare; none for all that differ.</param>
    /// <exception cref="UsageException">There is nothing to compare.</exception>
    public static Comparison Create(IReadOnlyList<ResultFile> a, IReadOnlyList<ResultFile> b, IReadOnlyList<string> figures)
    {
        RequireOneVerb([.. a, .. b]);
        IReadOnlyList<MatchedRow> matched = MatchedRow.Find(a, b);
        MatchedRow[] shared = [.. matched.Where(row => row.IsShared)];
        var names = new RowNames(matched);
        UsageException.Require(
            shared.Length > 0, $"'{b[0].Path}'", Listed(matched, row => row.B.Count > 0),
            $"a row with the settings of one of '{a[0].Path}' ({Listed(matched, row => row.A.Count > 0)})");
        ComparisonRow[] rows = [.. Compare(shared, Choose(shared, figures))];
        bool isChosen = figures.Count > 0;
        return new Comparison(
            a, b, names, ConfigurationDifference.Find(a, b), [.. rows.Where(row => isChosen || row.Differs)],
            isChosen ? 0 : rows.Count(row => !row.Differs),
            [.. matched.Where(row => row.A.Count < a.Count || row.B.Count < b.Count)]);

        string Listed(IEnumerable<MatchedRow> all, Func<MatchedRow, bool> isOfSide) =>
            string.Join("; ", all.Where(isOfSide).Select(names.InFull));
    }

    /// <summary>Says which files have a row that not all have.</summary>
    public string Describe(MatchedRow row)
    {
        string name = Names.Of(row);
        return row.IsShared
            ? $"{name}: in {row.A.Count} of {A.Count} files of A and {row.B.Count} of {B.Count} of B"
            : $"{name}: only in {(row.A.Count > 0 ? "A" : "B")}, not compared";
    }

    public JsonObject ToJson() => new()
    {
        ["a"] = PathsOf(A),
        ["b"] = PathsOf(B),
        ["configuration_differences"] = new JsonArray([.. Differences.Select(difference => difference.ToJson())]),
        ["results"] = new JsonArray([.. Rows.Select(row => new JsonObject(row.ToColumns(Names)))]),
        ["incomplete_rows"] = new JsonArray([.. Incomplete.Select(row => new JsonObject(
            [.. Names.ToColumns(row), new("a_runs", row.A.Count), new("b_runs", row.B.Count)]))]),
    };

    private static JsonArray PathsOf(IReadOnlyList<ResultFile> files) => new([.. files.Select(file => JsonValue.Create(file.Path))]);

    private static void RequireOneVerb(IReadOnlyList<ResultFile> files)
    {
        ResultFile? first = files.FirstOrDefault(file => file.Verb is not null);
        foreach (ResultFile file in files)
        {
            UsageException.Require(
                file.Verb is null || file.Verb == first!.Verb, $"'{file.Path}'", file.Verb,
                $"results of {first?.Verb}, as in '{first?.Path}'");
        }
    }

    /// <summary>The names of the figures to compare, in the order of the rows.</summary>
    private static IReadOnlyList<string> Choose(IReadOnlyList<MatchedRow> rows, IReadOnlyList<string> figures)
    {
        string[] known =
        [
            .. rows.SelectMany(row => row.A.Concat(row.B)).SelectMany(row => row)
               .Where(member => RowMembers.IsFigure(member.Key, member.Value)).Select(member => member.Key).Distinct(),
        ];
        foreach (string figure in figures)
            UsageException.Require(known.Contains(figure), "--figures", figure, $"some of {string.Join(", ", known)}");
        return figures.Count > 0 ? figures : known;
    }

    private static IEnumerable<ComparisonRow> Compare(IEnumerable<MatchedRow> rows, IReadOnlyList<string> figures) =>
        from row in rows
        from figure in figures
        let compared = new ComparisonRow(row, figure, Spread.Of(ValuesOf(row.A, figure)), Spread.Of(ValuesOf(row.B, figure)))
        where compared.A is not null || compared.B is not null
        select compared;

    private static IEnumerable<double> ValuesOf(IEnumerable<JsonObject> rows, string figure) =>
        rows.Select(row => row[figure]).Where(value => value?.GetValueKind() == JsonValueKind.Number)
        .Select(value => value!.GetValue<double>());
}
