using Spectre.Console;

namespace VectorPipe.Measuring.Output;

/// <summary>Tables of figures: a column is its heading and the cell of a row.</summary>
internal static class FigureTable
{
    /// <summary>A table whose columns are aligned right, but for the first if it holds names.</summary>
    public static Table Create<TRow>(
        IEnumerable<TRow> rows, bool startsWithName, params (string Heading, Func<TRow, string> Cell)[] columns)
    {
        var table = new Table();
        foreach ((string heading, _) in columns)
            table.AddColumn(heading, column => column.Alignment(startsWithName && heading == columns[0].Heading ? null : Justify.Right));
        foreach (TRow row in rows)
            table.AddRow([.. columns.Select(column => column.Cell(row))]);
        return table;
    }
}
