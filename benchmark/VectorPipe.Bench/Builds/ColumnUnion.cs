using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Builds;

/// <summary>
/// Makes one table of rows of several kinds: every row has every column, null where it means nothing to the row. Not thread-safe.
/// </summary>
internal sealed class ColumnUnion
{
    private readonly List<string> _names = [];

    /// <summary>Takes in the names of a row's columns; new ones come last.</summary>
    public void Add(Columns row) => _names.AddRange(row.Select(column => column.Key).Except(_names).ToArray());

    /// <summary>A row with all columns of all rows that were taken in.</summary>
    public Columns Align(Columns row)
    {
        var values = row.ToDictionary();
        return [.. _names.Select(name => KeyValuePair.Create(name, values.GetValueOrDefault(name)))];
    }
}
