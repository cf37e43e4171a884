using Apache.Arrow;
using Apache.Arrow.Compression;
using Apache.Arrow.Ipc;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A file of Arrow's interprocess format, with its footer or as a stream; a record batch is in memory at a time.</summary>
/// <remarks>
/// Neither form tells the number of rows before the last batch, so an opening reads the file once: a damaged file is refused before
/// anything is written. Not thread-safe.
/// </remarks>
internal sealed class ArrowFile : ColumnFile
{
    private static readonly CompressionCodecFactory _codecs = new();

    private readonly FileStream _stream;
    private readonly bool _hasFooter;
    private readonly List<IArrowColumn> _columns = [];
    private ArrowStreamReader? _reader;
    private Schema? _schema;
    private RecordBatch? _batch;
    private long _rowCount;
    private int _rowsLeft;

    private ArrowFile(string path, FileStream stream, bool hasFooter)
        : base(path) => (_stream, _hasFooter) = (stream, hasFooter);

    public override IReadOnlyList<string> Names => [.. _schema!.FieldsList.Select(column => column.Name)];

    public override long RowCount => _rowCount;

    private static ReadOnlySpan<byte> Magic => "ARROW1"u8;

    /// <summary>Whether the name of a file says that it is of Arrow.</summary>
    public static new bool IsNamed(string path) =>
        System.IO.Path.GetExtension(path).ToLowerInvariant() is ".arrow" or ".arrows" or ".feather" or ".ipc";

    public static new async Task<ArrowFile> OpenAsync(string path, CancellationToken cancellationToken)
    {
        FileStream stream = File.OpenRead(path);
        byte[] head = new byte[Magic.Length];
        bool hasFooter = await stream.ReadAtLeastAsync(head, head.Length, throwOnEndOfStream: false, cancellationToken) == head.Length
            && Magic.SequenceEqual(head);
        var file = new ArrowFile(path, stream, hasFooter);
        try
        {
            await file.RestartAsync(cancellationToken);
            if (file.Names.CountBy(name => name).FirstOrDefault(name => name.Value > 1) is { Key: { } name })
                throw new UsageException($"'{path}': expected columns of different names; found two of '{name}'.");
            while (await file.NextBatchAsync(cancellationToken))
                file._rowCount += file._batch!.Length;
            await file.RestartAsync(cancellationToken);
            return file;
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public override Column? Take(string name)
    {
        if (ArrowColumn.Create(_schema!.GetFieldByName(name)) is not { } column)
            return null;
        _columns.Add(column);
        return (Column)column;
    }

    public override string Describe(string name) => ArrowColumn.Describe(_schema!.GetFieldByName(name));

    public override async ValueTask<bool> NextAsync(CancellationToken cancellationToken)
    {
        while (_rowsLeft == 0)
        {
            if (!await NextBatchAsync(cancellationToken))
                return false;
            _rowsLeft = _batch!.Length;
            foreach (IArrowColumn column in _columns)
                Guard(() => column.Begin(_batch.Column(column.Name)));
        }

        _rowsLeft--;
        Row++;
        return true;
    }

    public override async ValueTask RestartAsync(CancellationToken cancellationToken)
    {
        _batch?.Dispose();
        _reader?.Dispose();
        (_batch, _rowsLeft, Row) = (null, 0, -1);
        _stream.Position = 0;
        try
        {
            _reader = _hasFooter
                ? new ArrowFileReader(_stream, null, _codecs, leaveOpen: true)
                : new ArrowStreamReader(_stream, null, _codecs, leaveOpen: true);
            _schema = await _reader.GetSchema(cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw Damaged(e);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        _batch?.Dispose();
        _reader?.Dispose();
        await _stream.DisposeAsync();
    }

    private async ValueTask<bool> NextBatchAsync(CancellationToken cancellationToken)
    {
        _batch?.Dispose();
        _batch = null;
        try
        {
            _batch = await _reader!.ReadNextRecordBatchAsync(cancellationToken);
        }
        catch (OutOfMemoryException e)
        {
            throw new UsageException(
                $"'{Path}', after row {Row}: expected record batches that fit into memory; found a larger one: write smaller batches.", e);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw Damaged(e);
        }

        return _batch is not null;
    }

    private void Guard(Action work)
    {
        try
        {
            work();
        }
        catch (Exception e) when (e is not UsageException)
        {
            throw Damaged(e);
        }
    }

    // The reader of the format throws whatever its code runs into when bytes are wrong.
    private UsageException Damaged(Exception e) => new(
        $"'{Path}': expected an Arrow file or stream; found none, or a damaged one: {e.Message.TrimEnd('.')}.", e);
}
