using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Waiting;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>The live vectors of a pinned view, for a build: those of its generation, then those that wait.</summary>
/// <remarks>Reads block and queue nothing for the pool, see <see cref="BackgroundThreads"/>.</remarks>
internal sealed class LiveVectorSource : VectorSource
{
    private const int BatchesAhead = 2;

    private readonly PinnedView _pinned;
    private readonly int _rowBytes;
    private readonly BlockingCollection<VectorBatch> _batches = new(BatchesAhead);
    private readonly CancellationTokenSource _ended = new();
    private VectorBatch _batch = new(default, []);
    private int _taken;
    private Thread? _reader;
    private ExceptionDispatchInfo? _error;

    /// <param name="schema">The collection's schema.</param>
    /// <param name="pinned">The view; leased until its generation was read.</param>
    public LiveVectorSource(CollectionSchema schema, PinnedView pinned)
    {
        _pinned = pinned;
        ElementType = schema.ElementType;
        Dimension = schema.Dimension;
        _rowBytes = schema.Dimension * schema.ElementType.SizeInBytes();
    }

    /// <summary>Called when all of the view's generation was read, or it cannot be read.</summary>
    public Action? GenerationRead { get; init; }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count => _pinned.Count;

    public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        // A scan is bound to its thread, so it has one.
        if (_reader is null)
        {
            var reader = new Thread(Read) { IsBackground = true, Name = "VectorPipe rebuild scan" };
            reader.Start();
            _reader = reader;
        }

        int most = Math.Min(rows.Length / _rowBytes, keys.Length), read = 0;
        while (read < most)
        {
            if (_taken == _batch.Handles.Length)
            {
                if (!_batches.TryTake(out _batch, Timeout.Infinite, cancellationToken))
                {
                    _batch = new VectorBatch(default, []);
                    _taken = 0;
                    _error?.Throw();
                    break;
                }

                _taken = 0;
            }

            int count = Math.Min(most - read, _batch.Handles.Length - _taken);
            _batch.Rows.Span.Slice(_taken * _rowBytes, count * _rowBytes).CopyTo(rows.Span[(read * _rowBytes)..]);
            _batch.Handles.AsSpan(_taken, count).CopyTo(keys.Span[read..]);
            _taken += count;
            read += count;
        }

        return ValueTask.FromResult(read);
    }

    public override ValueTask DisposeAsync()
    {
        _ended.Cancel();
        _reader?.Join();
        _ended.Dispose();
        _batches.Dispose();
        return base.DisposeAsync();
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

            GenerationRead?.Invoke();
            foreach (WaitingRecord[] records in _pinned.Waiting().Chunk(1024))
                Add(BatchOf(records));
        }
        catch (Exception e)
        {
            // For the next read.
            _error = ExceptionDispatchInfo.Capture(e);
            GenerationRead?.Invoke();
        }
        finally
        {
            _batches.CompleteAdding();
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
            _batches.Add(batch, _ended.Token);
    }
}
