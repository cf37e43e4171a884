namespace VectorPipe.Building.Shuffling;

/// <summary>Counts the bytes that shuffles write to scratch files and read back.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class ShuffleTraffic
{
    private long _read;
    private long _written;

    /// <summary>Bytes read by the readers that were disposed.</summary>
    public long BytesRead => Volatile.Read(ref _read);

    /// <summary>Bytes of the files that were completed, checksums included.</summary>
    public long BytesWritten => Volatile.Read(ref _written);

    public void NoteRead(long bytes) => Interlocked.Add(ref _read, bytes);

    public void NoteWritten(long bytes) => Interlocked.Add(ref _written, bytes);
}
