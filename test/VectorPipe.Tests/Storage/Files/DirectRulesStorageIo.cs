using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>Storage that refuses direct writes whose address, length or offset is not a multiple of a page.</summary>
internal sealed class DirectRulesStorageIo : IStorageIo
{
    private readonly FileStorageIo _inner = FileStorageIo.Instance;
    private readonly HashSet<SafeFileHandle> _direct = [];
    private readonly Lock _lock = new();

    /// <summary>Direct writes so far.</summary>
    public int DirectWrites { get; private set; }

    /// <summary>Bytes of the largest direct write.</summary>
    public int LargestWrite { get; private set; }

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => _inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        SafeFileHandle file = _inner.Create(path, isReserved, reservedBytes, isDirect);
        lock (_lock)
        {
            if (isDirect)
                _direct.Add(file);
        }

        return file;
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => _inner.OpenForUpdate(path, isDirect);

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        lock (_lock)
        {
            if (_direct.Contains(file))
            {
                if (Address(bytes) % PageCodec.PageUnit != 0 || bytes.Length % PageCodec.PageUnit != 0 || offset % PageCodec.PageUnit != 0)
                    throw new IOException($"Invalid argument: {bytes.Length} bytes from address {Address(bytes):x} to {offset}");
                DirectWrites++;
                LargestWrite = Math.Max(LargestWrite, bytes.Length);
            }
        }

        _inner.Write(file, bytes, offset);
    }

    public void SetLength(SafeFileHandle file, long length) => _inner.SetLength(file, length);

    public void Sync(SafeFileHandle file) => _inner.Sync(file);

    public void Rename(string from, string to) => _inner.Rename(from, to);

    public void Delete(string path) => _inner.Delete(path);

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => _inner.SyncDirectory(path);

    private static unsafe long Address(ReadOnlySpan<byte> bytes) => (long)Unsafe.AsPointer(ref MemoryMarshal.GetReference(bytes));
}
