using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>
/// Pages of a file for a reader who goes from page to page: what follows the page asked for last is read ahead, and verified when it is
/// asked for.
/// </summary>
/// <remarks>
/// Any page may be asked for, but one that does not follow costs what was read ahead. Bound to the thread that first reads. Memory: that of
/// a <see cref="PageReader"/>, from the first page on.
/// </remarks>
internal sealed class PageRangeSource : IDisposable
{
    private const long None = -1;

    private readonly IDevice _device;
    private readonly string _path;
    private readonly FileEntry _entry;
    private readonly PageKind _kind;
    private readonly long _end;
    private PageReader? _stream;
    private ReadBuffer _page;
    private long _current = None;
    private long _following = None;

    /// <param name="device">Holds the file, as its file 0; others may share it.</param>
    /// <param name="path">Path of the file, for errors.</param>
    /// <param name="entry">The file as the manifest names it.</param>
    /// <param name="kind">What its pages are.</param>
    /// <param name="end">The page behind the last that may be asked for.</param>
    public PageRangeSource(IDevice device, string path, FileEntry entry, PageKind kind, long end)
    {
        _device = device;
        _path = path;
        _entry = entry;
        _kind = kind;
        _end = end;
    }

    /// <summary>A page, verified; valid until the next call.</summary>
    /// <param name="number">Its number, below the end.</param>
    /// <param name="cancellationToken">Ends the wait for it.</param>
    /// <exception cref="IndexCorruptException">The page is damaged.</exception>
    /// <exception cref="DeviceException">The page cannot be read.</exception>
    public ReadOnlySpan<byte> Read(long number, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(number, _end);
        if (number == _current)
            return _page.Bytes;
        _stream ??= new PageReader(_device, _path, _entry, _kind, new PieceCounter(0, 0, 1));
        if (number != _following)
            _stream.GoTo(number, _end);

        // After an error or a cancellation nothing is known to follow.
        _current = _following = None;
        bool isThere = _stream.TryGetNext(out _page, cancellationToken);
        Debug.Assert(isThere && _page.State == number, "a page below the end is there, and it is the one that was asked for");
        _current = number;
        _following = number + 1;
        return _page.Bytes;
    }

    /// <summary>Ends the reads. On the thread that read; again, on any.</summary>
    public void Dispose() => _stream?.Dispose();
}
