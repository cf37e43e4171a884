using System.Runtime.InteropServices;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Scratch;

/// <summary>Writes a scratch file from front to back, past the page cache, with a checksum per block.</summary>
/// <remarks>Not thread-safe. The file is not synced, because it does not outlive the build. The creator deletes it.</remarks>
internal sealed class ScratchWriter : IDisposable
{
    /// <summary>Bytes of memory of a writer.</summary>
    public const int MemoryBytes = 2 * PieceBytes;

    private const int PieceBytes = 4 * ScratchFormat.BlockBytes;

    private readonly SequentialWriter _file;
    private readonly List<uint> _checksums = [];
    private int _fill;

    /// <param name="path">File to create; must not exist.</param>
    /// <param name="reservedLength">Content to reserve room for, so that a full disk is detected before the work; 0 for none.</param>
    /// <param name="io">Writes it.</param>
    public ScratchWriter(string path, long reservedLength, IStorageIo io) =>
        _file = new SequentialWriter(path, 0, PieceBytes, reservedLength == 0 ? 0 : ScratchFormat.FileLength(reservedLength), io);

    public long Length { get; private set; }

    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            int take = Math.Min(bytes.Length, ScratchFormat.BlockBytes - _fill);
            bytes[..take].CopyTo(_file.Rest[_fill..]);
            bytes = bytes[take..];
            _fill += take;
            Length += take;
            if (_fill == ScratchFormat.BlockBytes)
                EndBlock();
        }
    }

    /// <summary>Writes the remaining bytes, the checksums and the trailer.</summary>
    public void Complete()
    {
        if (_fill > 0)
            EndBlock();
        ReadOnlySpan<byte> table = MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(_checksums));
        _file.Append(table);
        ScratchFormat.WriteTrailer(_file.Rest, Length, Crc32C.Compute(table));
        _file.Advance(ScratchFormat.PageBytes);
        _file.Complete(isDurable: false);
    }

    /// <summary>Closes the file after the write in progress.</summary>
    public void Dispose() => _file.Dispose();

    private void EndBlock()
    {
        Span<byte> block = _file.Rest[..(int)ScratchFormat.ToPages(_fill)];
        _checksums.Add(Crc32C.Compute(block[.._fill]));
        block[_fill..].Clear();
        _fill = 0;
        _file.Advance(block.Length);
    }
}
