using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>Reads pages one by one, from a window of neighbouring pages that comes in one read. Not thread-safe.</summary>
/// <param name="pages">The file.</param>
/// <param name="end">The page behind the last one.</param>
internal sealed class PageWindow(VerifiedPages pages, long end)
{
    private const int Pages = 64;

    private readonly byte[] _bytes = new byte[Pages * PageCodec.PageUnit];
    private long _first;
    private int _count;

    /// <summary>Reads a page, and those behind it if they are not there yet; valid until the next call.</summary>
    /// <exception cref="IndexCorruptException">One of these pages is damaged.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public ReadOnlySpan<byte> Read(long number)
    {
        if (number < _first || number >= _first + _count)
        {
            _count = 0;
            int count = (int)Math.Min(Pages, end - number);
            pages.Read(number, _bytes.AsSpan(0, count * PageCodec.PageUnit));
            _first = number;
            _count = count;
        }

        return _bytes.AsSpan((int)(number - _first) * PageCodec.PageUnit, PageCodec.PageUnit);
    }
}
