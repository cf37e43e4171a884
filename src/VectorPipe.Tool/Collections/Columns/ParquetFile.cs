using Parquet;
using Parquet.Schema;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A file of Parquet: its fields, and its values by row groups. Not thread-safe.</summary>
internal sealed class ParquetFile : IAsyncDisposable
{
    // A footer of a thousand columns in a thousand row groups takes seconds.
    private static readonly TimeSpan _mostForFooter = TimeSpan.FromMinutes(1);

    private readonly BoundedStream _stream;
    private readonly ParquetReader _reader;

    private ParquetFile(string path, BoundedStream stream, ParquetReader reader, ParquetSchema schema)
    {
        (Path, _stream, _reader) = (path, stream, reader);
        Fields = schema.Fields;
        RowCount = reader.RowGroups.Sum(group => group.RowCount);
    }

    public string Path { get; }

    public IReadOnlyList<Field> Fields { get; }

    /// <summary>Rows of all row groups.</summary>
    public long RowCount { get; }

    public int RowGroups => _reader.RowGroupCount;

    /// <summary>Whether the name of a file says that it is of Parquet.</summary>
    public static bool IsNamed(string path) => System.IO.Path.GetExtension(path).Equals(".parquet", StringComparison.OrdinalIgnoreCase);

    /// <summary>Opens a file and reads its schema.</summary>
    /// <exception cref="UsageException">It is no file of Parquet, is damaged, or has two columns of a name.</exception>
    public static async Task<ParquetFile> OpenAsync(string path, CancellationToken cancellationToken)
    {
        var stream = new BoundedStream(File.OpenRead(path));
        try
        {
            // In a damaged footer the reader may run past the end, and never return.
            ParquetReader reader = await Task.Run(() => ParquetReader.CreateAsync(stream), cancellationToken)
                .WaitAsync(_mostForFooter, cancellationToken);
            var file = new ParquetFile(path, stream, reader, reader.Schema);
            if (file.Fields.CountBy(field => field.Name).FirstOrDefault(name => name.Value > 1) is { Key: { } name })
                throw new UsageException($"'{path}': expected columns of different names; found two of '{name}'.");
            if (reader.RowGroups.Any(group => group.RowCount < 0))
                throw new UsageException($"'{path}': expected row groups of 0 or more rows; found one of fewer.");
            return file;
        }
        catch (Exception e)
        {
            await stream.DisposeAsync();
            if (IsAboutTheFile(e))
                throw new UsageException($"'{path}': expected a file of Parquet; found none, or a damaged one: {MessageOf(e)}", e);
            throw;
        }
    }

    /// <summary>Refuses row groups whose values do not fit into memory together, before any of them is read.</summary>
    /// <param name="availableBytes">Memory that may be taken.</param>
    public void RequireMemory(IReadOnlyList<IParquetColumn> columns, long availableBytes)
    {
        for (int i = 0; i < RowGroups; i++)
        {
            decimal bytes = 0;
            foreach (IParquetColumn column in columns)
                bytes += column.BytesOf(_reader.OpenRowGroupReader(i), PlaceOf(i, column));
            if (bytes > availableBytes)
                throw new UsageException(
                    $"'{Path}', row group {i}: expected values that fit into {availableBytes >> 20} MiB of memory; found some that take "
                    + $"{(long)(bytes / (1 << 20))} MiB: write the file with smaller row groups.");
        }
    }

    /// <summary>Reads columns of a row group; what they held before is gone.</summary>
    /// <returns>The number of rows.</returns>
    /// <exception cref="UsageException">The file is damaged, or its pages are of a kind that cannot be read.</exception>
    public async Task<long> ReadAsync(int rowGroup, IReadOnlyList<IParquetColumn> columns, CancellationToken cancellationToken)
    {
        ParquetRowGroupReader group = _reader.OpenRowGroupReader(rowGroup);
        foreach (IParquetColumn column in columns)
        {
            _stream.Restart();
            try
            {
                await column.ReadAsync(group, PlaceOf(rowGroup, column), cancellationToken);
            }
            catch (NotImplementedException e) when (column.IsList)
            {
                throw new UsageException(
                    $"{PlaceOf(rowGroup, column)}: expected lists in data pages of version 1; found version 2, which cannot be read.", e);
            }
            catch (Exception e) when (IsAboutTheFile(e))
            {
                throw new UsageException($"{PlaceOf(rowGroup, column)}: expected pages that can be read; found others: {MessageOf(e)}", e);
            }
        }

        return group.RowCount;
    }

    public ValueTask DisposeAsync() => _stream.DisposeAsync();

    private string PlaceOf(int rowGroup, IParquetColumn column) => $"'{Path}', row group {rowGroup}, column '{column.Name}'";

    // The reader of the format throws whatever its code runs into when bytes are wrong.
    private static bool IsAboutTheFile(Exception e) => e is not (UsageException or OperationCanceledException);

    private static string MessageOf(Exception e) => e.Message.TrimEnd('.') + '.';
}
