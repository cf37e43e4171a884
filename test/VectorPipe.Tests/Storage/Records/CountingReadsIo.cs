using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>Reads files and counts the reads; one of them may fail. It writes nothing.</summary>
/// <param name="failAt">The read that fails, from 0 since the last <see cref="Clear"/>.</param>
internal sealed class CountingReadsIo(int failAt = int.MaxValue) : IStorageIo
{
    public int Reads { get; private set; }

    public long Bytes { get; private set; }

    /// <summary>The files and bytes whose reads were begun.</summary>
    public List<(SafeFileHandle File, long From, long End)> Begun { get; } = [];

    /// <summary>Reads, since the last <see cref="Clear"/>, that were not begun before.</summary>
    public int Unexpected { get; private set; }

    public void Clear()
    {
        (Reads, Bytes, Unexpected) = (0, 0, 0);
        Begun.Clear();
    }

    public SafeFileHandle OpenForReading(string path) => FileStorageIo.Instance.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset)
    {
        if (Reads++ == failAt)
            throw new IOException("Input/output error");
        long end = offset + buffer.Length;
        if (!Begun.Any(begun => begun.File == file && begun.From <= offset && end <= begun.End))
            Unexpected++;
        int read = FileStorageIo.Instance.Read(file, buffer, offset);
        Bytes += read;
        return read;
    }

    public void BeginRead(SafeFileHandle file, long offset, int length)
    {
        ReadAhead.Begin(file, offset, length);
        Begun.Add((file, offset, offset + length));
    }

    public void CreateDirectory(string path) => throw new NotSupportedException();

    public SafeFileHandle OpenLock(string path) => throw new NotSupportedException();

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect) => throw new NotSupportedException();

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => throw new NotSupportedException();

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => throw new NotSupportedException();

    public void SetLength(SafeFileHandle file, long length) => throw new NotSupportedException();

    public void Sync(SafeFileHandle file) => throw new NotSupportedException();

    public void Rename(string from, string to) => throw new NotSupportedException();

    public void Delete(string path) => throw new NotSupportedException();

    public void DeleteDirectory(string path) => throw new NotSupportedException();

    public void SyncDirectory(string path) => throw new NotSupportedException();
}
