using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>Names rows by the settings that differ between them; settings that all share would only fill the table.</summary>
internal sealed class RowNames
{
    private readonly string[] _names;
    private readonly bool _hasRepetitions;

    public RowNames(IReadOnlyList<MatchedRow> rows)
    {
        _names =
        [
            .. rows.SelectMany(row => row.Settings)
               .GroupBy(setting => setting.Key, setting => setting.Value?.ToJsonString())
               .Where(values => values.Distinct().Skip(1).Any())
               .Select(values => values.Key),
        ];
        _hasRepetitions = rows.Any(row => row.Repetition > 1);
    }

    /// <summary>The columns of JSON and CSV that identify a row.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns(MatchedRow row)
    {
        IEnumerable<KeyValuePair<string, JsonNode?>> settings = row.Settings.Where(setting => _names.Contains(setting.Key))
            .Select(setting => KeyValuePair.Create(setting.Key, setting.Value?.DeepClone()));
        return _hasRepetitions ? [.. settings, new("repetition", row.Repetition)] : [.. settings];
    }

    /// <summary>The name of a row in a table; a dash if there is only one.</summary>
    public string Of(MatchedRow row)
    {
        string[] parts = [.. ToColumns(row).Where(column => column.Value is not null)
            .Select(column => $"{column.Key} {RowMembers.Show(column.Value)}")];
        return parts.Length == 0 ? "-" : string.Join(", ", parts);
    }
}
