using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Attributes from the columns of a file.</summary>
internal sealed class ColumnAttributes : IAttributeRows
{
    private readonly ColumnFile _file;
    private readonly AttributeColumns _attributes;

    private ColumnAttributes(ColumnFile file, AttributeColumns attributes) => (_file, _attributes) = (file, attributes);

    /// <summary>Opens a file, and checks its columns and its number of rows.</summary>
    public static async Task<ColumnAttributes> OpenAsync(
        string path, CollectionSchema schema, long vectors, CancellationToken cancellationToken)
    {
        ColumnFile file = await ColumnFile.OpenAsync(path, cancellationToken);
        try
        {
            var attributes = new AttributeColumns(file, file.Names, schema);
            if (file.RowCount != vectors)
                throw new UsageException(
                    $"--attributes: expected {vectors} rows, one for each vector; found {file.RowCount} in '{path}'.");
            file.RequireMemory();
            return new ColumnAttributes(file, attributes);
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<(AttributeSet Attributes, int Bytes)> NextAsync(CancellationToken cancellationToken)
    {
        if (!await _file.NextAsync(cancellationToken))
            throw new InvalidOperationException($"The rows of '{_file.Path}' have been counted, and one more was read.");
        AttributeSet attributes = _attributes.Next(_file.Place, out int bytes);
        return (attributes, bytes);
    }

    // The rows were counted when the file was opened.
    public ValueTask RequireEndAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;

    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
