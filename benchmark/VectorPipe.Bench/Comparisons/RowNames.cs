using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>Names rows by the settings that differ between them; settings that all share would only fill the table.</summary>
internal sealed class RowNames
{
    private readonly string[] _differing;
    private readonly string[] _needed;
    private readonly bool _hasRepetitions;

    public RowNames(IReadOnlyList<MatchedRow> rows)
    {
        _differing =
        [
            .. rows.SelectMany(row => row.Settings)
               .GroupBy(setting => setting.Key, setting => setting.Value?.ToJsonString())
               .Where(values => values.Distinct().Skip(1).Any())
               .Select(values => values.Key),
        ];
        _needed = WithoutFollowers(_differing, rows);
        _hasRepetitions = rows.Any(row => row.Repetition > 1);
    }

    /// <summary>The columns of JSON and CSV that identify a row: all settings that differ.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns(MatchedRow row)
    {
        IEnumerable<KeyValuePair<string, JsonNode?>> settings = row.Settings.Where(setting => _differing.Contains(setting.Key))
            .Select(setting => KeyValuePair.Create(setting.Key, setting.Value?.DeepClone()));
        return _hasRepetitions ? [.. settings, new("repetition", row.Repetition)] : [.. settings];
    }

    /// <summary>The name of a row in a table, by as few settings as tell rows apart; a dash if there is only one.</summary>
    public string Of(MatchedRow row) => Join(ToColumns(row).Where(column => !_differing.Except(_needed).Contains(column.Key)));

    /// <summary>All settings of a row that differ between rows.</summary>
    public string InFull(MatchedRow row) => Join(ToColumns(row));

    private static string Join(IEnumerable<KeyValuePair<string, JsonNode?>> columns)
    {
        string[] parts = [.. columns.Where(column => column.Value is not null)
            .Select(column => $"{column.Key} {RowMembers.Show(column.Value)}")];
        return parts.Length == 0 ? "-" : string.Join(", ", parts);
    }

    // A build has a name that says its threads and its layout already. Reports have such names first, so the last settings go first.
    private static string[] WithoutFollowers(string[] names, IReadOnlyList<MatchedRow> rows)
    {
        string[] needed = names;
        int all = CountApart(names, rows);
        foreach (string name in names.Reverse())
        {
            string[] others = [.. needed.Where(other => other != name)];
            if (CountApart(others, rows) == all)
                needed = others;
        }

        return needed;
    }

    private static int CountApart(string[] names, IReadOnlyList<MatchedRow> rows) => rows
        .Select(row => string.Join('\n', row.Settings.Where(setting => names.Contains(setting.Key))
            .Select(setting => setting.Value?.ToJsonString())))
        .Distinct().Count();
}
