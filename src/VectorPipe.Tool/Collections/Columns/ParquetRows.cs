namespace VectorPipe.Tool.Collections.Columns;

/// <summary>Goes through the rows of columns; a row group is in memory at a time. Not thread-safe.</summary>
internal sealed class ParquetRows(ParquetFile file, IReadOnlyList<ParquetColumn> columns)
{
    private int _nextGroup;
    private long _rowsLeft;

    /// <summary>Number of the row in the file, from 0; -1 before the first.</summary>
    public long Row { get; private set; } = -1;

    /// <summary>File and row, for errors.</summary>
    public string Place => $"'{file.Path}': row {Row}";

    /// <summary>Moves to the next row, of which each column then has to be asked.</summary>
    /// <returns>False at the end.</returns>
    public async ValueTask<bool> NextAsync(CancellationToken cancellationToken)
    {
        while (_rowsLeft == 0)
        {
            if (_nextGroup == file.RowGroups)
                return false;
            _rowsLeft = await file.ReadAsync(_nextGroup, columns, cancellationToken);
            _nextGroup++;
        }

        _rowsLeft--;
        Row++;
        return true;
    }
}
