using Parquet.Schema;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The rows of a file of Parquet; a row group is in memory at a time. Not thread-safe.</summary>
/// <param name="file">Owned from here on.</param>
internal sealed class ParquetColumns(ParquetFile file) : ColumnFile(file.Path)
{
    private readonly List<IParquetColumn> _columns = [];
    private int _nextGroup;
    private long _rowsLeft;

    public override IReadOnlyList<string> Names { get; } = [.. file.Fields.Select(column => column.Name)];

    public override long RowCount => file.RowCount;

    public override Column? Take(string name)
    {
        if (ParquetColumn.Create(FieldOf(name)) is not { } column)
            return null;
        _columns.Add(column);
        return (Column)column;
    }

    public override string Describe(string name) => ParquetColumn.Describe(FieldOf(name));

    public override void RequireMemory() => file.RequireMemory(_columns, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);

    public override async ValueTask<bool> NextAsync(CancellationToken cancellationToken)
    {
        while (_rowsLeft == 0)
        {
            if (_nextGroup == file.RowGroups)
                return false;
            _rowsLeft = await file.ReadAsync(_nextGroup, _columns, cancellationToken);
            _nextGroup++;
        }

        _rowsLeft--;
        Row++;
        return true;
    }

    public override ValueTask RestartAsync(CancellationToken cancellationToken)
    {
        (_nextGroup, _rowsLeft, Row) = (0, 0, -1);
        return ValueTask.CompletedTask;
    }

    public override ValueTask DisposeAsync() => file.DisposeAsync();

    private Field FieldOf(string name) => file.Fields.First(field => field.Name == name);
}
