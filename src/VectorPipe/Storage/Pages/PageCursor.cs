using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Reads pages of a file by number, and reads ahead the pages that follow the last one.</summary>
/// <remarks>
/// The device holds the file as its file 0. A jump to another page drops the pages read ahead. Bound to the thread that first reads.
/// Memory: a <see cref="PageScan"/>, from the first page on.
/// </remarks>
internal sealed class PageCursor(IDevice device, string path, FileEntry entry, PageKind kind, long end) : IDisposable
{
    private const long None = -1;

    private PageScan? _scan;
    private ReadBuffer _page;
    private long _current = None;
    private long _following = None;

    /// <summary>Reads and verifies a page; valid until the next call.</summary>
    public ReadOnlySpan<byte> Read(long number, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(number, end);
        if (number == _current)
            return _page.Bytes;
        _scan ??= new PageScan(device, path, entry, kind, new PieceCounter(0, 0, 1));
        if (number != _following)
            _scan.GoTo(number, end);

        // After an error or a cancellation, the next page of the scan is unknown.
        _current = _following = None;
        bool isThere = _scan.TryGetNext(out _page, cancellationToken);
        Debug.Assert(isThere && _page.State == number, "the scan returns every page below the end, in order");
        _current = number;
        _following = number + 1;
        return _page.Bytes;
    }

    /// <summary>Ends the reads. On the thread that read; afterwards, on any.</summary>
    public void Dispose() => _scan?.Dispose();
}
