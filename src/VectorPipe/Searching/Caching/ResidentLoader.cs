using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Caching;

/// <summary>Loads all node pages of an index, front to back in large reads, and verifies each once.</summary>
/// <remarks>One load by one thread.</remarks>
internal sealed unsafe class ResidentLoader : IPendingIoOwner
{
    private const int ReadTarget = 1 << 20;
    private const int ReadsInFlight = 8;

    private readonly SearchIndex _index;
    private readonly NativeBuffer _memory;
    private readonly int _pagesPerRead;
    private readonly Action<long, long>? _progress;
    private readonly long _pages;
    private long _done;
    private Exception? _error;

    private ResidentLoader(SearchIndex index, NativeBuffer memory, long pages, Action<long, long>? progress)
    {
        _index = index;
        _memory = memory;
        _pages = pages;
        _progress = progress;
        _pagesPerRead = Math.Max(1, ReadTarget / index.Layout.PageSize);
    }

    /// <summary>Loads the pages.</summary>
    /// <param name="index">The index; its device is open.</param>
    /// <param name="progress">Told the pages done, and how many there are; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static ResidentCache Load(SearchIndex index, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        long pages = index.Layout.PageCount(index.Schema.Count);
        var memory = new NativeBuffer((nuint)pages * (nuint)index.Layout.PageSize);
        try
        {
            new ResidentLoader(index, memory, pages, progress).Run(cancellationToken);
            return new ResidentCache(memory, index.Layout.PageSize);
        }
        catch
        {
            memory.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        int count = op.Bytes.Length / _index.Layout.PageSize;
        byte* target = _memory.Pointer + (nint)op.Tag * _index.Layout.PageSize;
        op.Bytes.CopyTo(new Span<byte>(target, op.Bytes.Length));
        try
        {
            for (int i = 0; i < count; i++)
                _index.Verify((uint)(op.Tag + i), target + (nint)i * _index.Layout.PageSize);
        }
        catch (IndexCorruptException e)
        {
            _error ??= e;
        }

        _done += count;
        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"{_index.NodePath}, page {op.Tag + 1}: loading the index into memory failed: {error.Message}", error);

    private void Run(CancellationToken cancellationToken)
    {
        using var session = new PendingIoSession(_index.Device, _index.Reads with { Capacity = ReadsInFlight, BufferBytes = _pagesPerRead * _index.Layout.PageSize, SubmitEvery = 1 });
        for (long page = 0; page < _pages && _error is null; page += _pagesPerRead)
        {
            int bytes = (int)Math.Min(_pagesPerRead, _pages - page) * _index.Layout.PageSize;
            while (_error is null && !session.TryIssue(SearchIndex.NodesFile, _index.PageOffset((uint)page), bytes, this, 0, page))
                Turn(session, cancellationToken);
        }

        while (session.Pending > 0 && _error is null)
            Turn(session, cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        if (_error is not null)
            throw _error;
    }

    private void Turn(PendingIoSession session, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (session.Drain(TimeSpan.FromMilliseconds(10)) > 0)
            _progress?.Invoke(_done, _pages);
    }
}
