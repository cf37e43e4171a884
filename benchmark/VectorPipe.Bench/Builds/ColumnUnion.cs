using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Builds;

/// <summary>Gives rows of several kinds the columns of all of them, with null for those of other kinds. Not thread-safe.</summary>
internal sealed class ColumnUnion
{
    private readonly List<string> _names = [];

    /// <summary>Adds the columns of a row; new ones come last.</summary>
    public void Add(Columns row) => _names.AddRange(row.Select(column => column.Key).Except(_names).ToArray());

    /// <summary>The row with the columns of all rows.</summary>
    public Columns Align(Columns row)
    {
        var values = row.ToDictionary();
        return [.. _names.Select(name => KeyValuePair.Create(name, values.GetValueOrDefault(name)))];
    }
}
