using System.Threading.Channels;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Collections.Reading;

/// <summary>Reads all live records of a view on a thread of its own, a few batches ahead of its reader.</summary>
internal sealed class CollectionScan : IAsyncDisposable
{
    private const int RecordsAhead = 4096;

    private readonly Channel<FoundRecord> _records = Channel.CreateBounded<FoundRecord>(RecordsAhead);
    private readonly CancellationTokenSource _ended;
    private readonly PinnedView _pinned;
    private readonly Predicate<RecordBody>? _isWanted;
    private readonly Task _reading;

    /// <param name="pinned">The view, leased until the scan is disposed.</param>
    /// <param name="isWanted">Which records are wanted, asked on the thread of the scan; null for all.</param>
    /// <param name="cancellationToken">Ends the scan.</param>
    public CollectionScan(PinnedView pinned, Predicate<RecordBody>? isWanted, CancellationToken cancellationToken)
    {
        _pinned = pinned;
        _isWanted = isWanted;
        _ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _reading = Task.Factory.StartNew(Read, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The records, without an order.</summary>
    public IAsyncEnumerable<FoundRecord> Records => _records.Reader.ReadAllAsync(_ended.Token);

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(false);
        _ended.Dispose();
    }

    // Its errors reach the reader through the channel.
    private void Read()
    {
        try
        {
            if (_pinned.View.Generation is { } generation)
            {
                foreach (VectorBatch batch in GenerationVectors.Read(_pinned, generation.Index.Info.Directory, _ended.Token))
                    Add(batch);
            }

            foreach (WaitingRecord record in _pinned.Waiting())
                Add(new FoundRecord(record.Handle, record.Vector, RecordReader.BodyOf(_pinned.View, record.Body)));
            _records.Writer.Complete();
        }
        catch (Exception e)
        {
            _records.Writer.Complete(Typed(_pinned.View, e));
        }
    }

    /// <summary>The error of a reader that opens files by name. The writer of this process keeps them; that of another one may have
    /// replaced the generation.</summary>
    public static Exception Typed(CollectionView view, Exception error)
    {
        if (error is OperationCanceledException || view.Generation is not { } generation)
            return error;
        string directory = generation.Index.Info.Directory;
        if (!File.Exists(Path.Combine(directory, IndexDirectory.ManifestName)))
            return new DeviceException(
                $"{directory}: expected the files that were there when the collection was opened, found that a rebuild has replaced them; "
                + "open the collection again.",
                error);
        return error is IOException or UnauthorizedAccessException ? new DeviceException($"{directory}: {error.Message}", error) : error;
    }

    private void Add(VectorBatch batch)
    {
        int rowBytes = batch.Handles.Length == 0 ? 0 : batch.Rows.Length / batch.Handles.Length;
        for (int row = 0; row < batch.Handles.Length; row++)
        {
            ulong handle = batch.Handles[row];
            Add(new FoundRecord(
                handle, batch.Rows.Slice(row * rowBytes, rowBytes), RecordReader.BodyOf(_pinned.View, _pinned.View.BodyOf(handle))));
        }
    }

    private void Add(FoundRecord record)
    {
        _ended.Token.ThrowIfCancellationRequested();
        if (_isWanted is null || _isWanted(record.Body))
            _records.Writer.WriteAsync(record, _ended.Token).AsTask().GetAwaiter().GetResult();
    }
}
