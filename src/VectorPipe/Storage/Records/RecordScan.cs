namespace VectorPipe.Storage.Records;

/// <summary>Reads all records in the order of the file, in large reads. Not thread-safe; of no use after an error.</summary>
/// <remarks>Takes 256 KiB, and the longest body. Together the records fill the stream, so a scan to the end verifies every page.</remarks>
internal sealed class RecordScan(VerifiedStream heap)
{
    private readonly byte[] _window = new byte[(int)Math.Min(VerifiedStream.ReadBytes, heap.Length)];
    private byte[] _body = [];
    private int _bodyBytes;
    private int _at;
    private int _filled;
    private long _windowStart;

    /// <summary>The body of the last record; valid until the next call.</summary>
    public ReadOnlySpan<byte> Body => _body.AsSpan(0, _bodyBytes);

    /// <summary>Reads the next record.</summary>
    /// <returns>False at the end of the stream.</returns>
    /// <exception cref="IndexCorruptException">A page is damaged, or a record is longer than the rest of the stream.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public bool TryNext(out ulong handle, out RecordPlace place)
    {
        long offset = _windowStart + _at;
        handle = 0;
        place = default;
        if (offset == heap.Length)
            return false;
        if (heap.Length - offset < RecordPlace.HeaderBytes)
            throw Defect(offset, $"expected a record of {RecordPlace.HeaderBytes} bytes or more, found {heap.Length - offset} bytes");
        Span<byte> header = stackalloc byte[RecordPlace.HeaderBytes];
        Take(header);
        (handle, uint bytes) = RecordPlace.ReadHeader(header);
        if (bytes > Math.Min(RecordPlace.MaxBodyBytes, heap.Length - offset - RecordPlace.HeaderBytes))
            throw Defect(offset, $"expected a record that ends within the {heap.Length} bytes of the stream, found one of {bytes} bytes");
        place = new RecordPlace(offset, (int)bytes);
        if (_body.Length < bytes)
            _body = new byte[Math.Min(RecordPlace.MaxBodyBytes, 2 * (int)bytes)];
        _bodyBytes = (int)bytes;
        Take(_body.AsSpan(0, _bodyBytes));
        return true;
    }

    private IndexCorruptException Defect(long offset, string what) =>
        new(heap.FilePath, VerifiedStream.PageOf(offset), $"{what} at byte {offset} of the stream");

    private void Take(Span<byte> target)
    {
        while (target.Length > 0)
        {
            if (_at == _filled)
                Fill();
            int count = Math.Min(target.Length, _filled - _at);
            _window.AsSpan(_at, count).CopyTo(target);
            _at += count;
            target = target[count..];
        }
    }

    private void Fill()
    {
        _windowStart += _filled;
        _at = 0;
        _filled = (int)Math.Min(_window.Length, heap.Length - _windowStart);
        heap.Read(_windowStart, _window.AsSpan(0, _filled), default);
    }
}
