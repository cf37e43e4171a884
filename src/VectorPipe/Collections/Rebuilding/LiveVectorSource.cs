using System.Threading.Channels;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Waiting;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>The live vectors of a pinned view, for a build: those of its generation, then those that wait.</summary>
internal sealed class LiveVectorSource : VectorSource
{
    private const int BatchesAhead = 2;

    private readonly PinnedView _pinned;
    private readonly int _rowBytes;
    private readonly Channel<VectorBatch> _batches = Channel.CreateBounded<VectorBatch>(BatchesAhead);
    private readonly CancellationTokenSource _ended = new();
    private VectorBatch _batch = new(default, []);
    private int _taken;
    private Task? _reading;

    /// <param name="schema">The collection's schema.</param>
    /// <param name="pinned">The view; leased until the source is disposed.</param>
    public LiveVectorSource(CollectionSchema schema, PinnedView pinned)
    {
        _pinned = pinned;
        ElementType = schema.ElementType;
        Dimension = schema.Dimension;
        _rowBytes = schema.Dimension * schema.ElementType.SizeInBytes();
    }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count => _pinned.Count;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        // A scan is bound to its thread, so it has one.
        _reading ??= Task.Factory.StartNew(
            Read, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        int most = Math.Min(rows.Length / _rowBytes, keys.Length), read = 0;
        while (read < most)
        {
            if (_taken == _batch.Handles.Length)
            {
                if (!await _batches.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
                    break;
                _batches.Reader.TryRead(out _batch);
                _taken = 0;
            }

            int count = Math.Min(most - read, _batch.Handles.Length - _taken);
            _batch.Rows.Span.Slice(_taken * _rowBytes, count * _rowBytes).CopyTo(rows.Span[(read * _rowBytes)..]);
            _batch.Handles.AsSpan(_taken, count).CopyTo(keys.Span[read..]);
            _taken += count;
            read += count;
        }

        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync().ConfigureAwait(false);
        if (_reading is not null)
            await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _ended.Dispose();
        await base.DisposeAsync().ConfigureAwait(false);
    }

    private void Read()
    {
        try
        {
            if (_pinned.View.Generation is { } generation)
            {
                foreach (VectorBatch batch in GenerationVectors.Read(_pinned, generation.Index.Info.Directory, _ended.Token))
                    Add(batch);
            }

            foreach (WaitingRecord[] records in _pinned.Waiting().Chunk(1024))
                Add(BatchOf(records));
            _batches.Writer.Complete();
        }
        catch (Exception e)
        {
            _batches.Writer.Complete(e);
        }
    }

    private VectorBatch BatchOf(WaitingRecord[] records)
    {
        byte[] rows = new byte[records.Length * _rowBytes];
        for (int i = 0; i < records.Length; i++)
            records[i].Vector.CopyTo(rows.AsMemory(i * _rowBytes));
        return new VectorBatch(rows, [.. records.Select(record => record.Handle)]);
    }

    private void Add(VectorBatch batch)
    {
        if (batch.Handles.Length > 0)
            _batches.Writer.WriteAsync(batch, _ended.Token).AsTask().GetAwaiter().GetResult();
    }
}
