namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A file that fails a read at its end, and one of more bytes than it has in all. Not thread-safe.</summary>
/// <remarks>
/// The reader of Parquet takes the end of a file for bytes that go on, and follows sizes of pages in circles: on a damaged file it would
/// never return.
/// </remarks>
internal sealed class BoundedStream(FileStream file) : Stream
{
    private long _bytesLeft = file.Length;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => file.Length;

    public override long Position
    {
        get => file.Position;
        set => file.Position = value;
    }

    /// <summary>Allows to read as many bytes again as the file has.</summary>
    public void Restart() => _bytesLeft = file.Length;

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer) => Counted(file.Read(buffer), buffer.Length);

    public override int ReadByte()
    {
        int value = file.ReadByte();
        Counted(value < 0 ? 0 : 1, 1);
        return value;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        Counted(await file.ReadAsync(buffer, cancellationToken), buffer.Length);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override long Seek(long offset, SeekOrigin origin) => file.Seek(offset, origin);

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            file.Dispose();
        base.Dispose(disposing);
    }

    private int Counted(int read, int wanted)
    {
        if (read == 0 && wanted > 0)
            throw new EndOfStreamException($"It ends at byte {file.Length}, and more are expected.");
        _bytesLeft -= read;
        if (_bytesLeft < 0)
            throw new InvalidDataException($"More bytes are expected than the {file.Length} of the file.");
        return read;
    }
}
