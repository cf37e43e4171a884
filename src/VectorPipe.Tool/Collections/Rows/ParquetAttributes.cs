using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Attributes from the columns of a file of Parquet.</summary>
internal sealed class ParquetAttributes : IAttributeRows
{
    private readonly ParquetFile _file;
    private readonly AttributeColumns _attributes;
    private readonly ParquetRows _rows;

    private ParquetAttributes(ParquetFile file, AttributeColumns attributes)
    {
        (_file, _attributes) = (file, attributes);
        _rows = new ParquetRows(file, attributes.Columns);
    }

    /// <summary>Opens a file, and checks its columns and its number of rows.</summary>
    public static async Task<ParquetAttributes> OpenAsync(
        string path, CollectionSchema schema, long vectors, CancellationToken cancellationToken)
    {
        ParquetFile file = await ParquetFile.OpenAsync(path, cancellationToken);
        try
        {
            var attributes = new AttributeColumns(path, file.Fields, schema);
            if (file.RowCount != vectors)
                throw new UsageException(
                    $"--attributes: expected {vectors} rows, one for each vector; found {file.RowCount} in '{path}'.");
            file.RequireMemory(attributes.Columns, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
            return new ParquetAttributes(file, attributes);
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<(AttributeSet Attributes, int Bytes)> NextAsync(CancellationToken cancellationToken)
    {
        if (!await _rows.NextAsync(cancellationToken))
            throw new InvalidOperationException($"The rows of '{_file.Path}' have been counted, and one more was read.");
        AttributeSet attributes = _attributes.Next(_rows.Place, out int bytes);
        return (attributes, bytes);
    }

    // The rows were counted when the file was opened.
    public ValueTask RequireEndAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;

    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
