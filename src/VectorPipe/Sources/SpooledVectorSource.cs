using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Sources;

/// <summary>Vectors of a stream, copied to a temporary file: a build must know their number before it reads the first.</summary>
internal sealed class SpooledVectorSource : VectorSource
{
    private const int BufferBytes = 1 << 20;

    private readonly FileStream _file;
    private readonly int _rowBytes;
    private byte[] _records = [];

    private SpooledVectorSource(FileStream file, VectorElementType type, int dimension, long count)
    {
        _file = file;
        _rowBytes = dimension * type.SizeInBytes();
        ElementType = type;
        Dimension = dimension;
        Count = count;
    }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count { get; }

    /// <summary>Copies all vectors of a stream to a file in an existing folder; disposal deletes it.</summary>
    public static async Task<SpooledVectorSource> CreateAsync<T>(
        IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<T>>> vectors, int dimension, string directory,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        var source = new AsyncVectorSource<T>(vectors, dimension, count: 0);
        await using ConfiguredAsyncDisposable lifetime = source.ConfigureAwait(false);
        int rowBytes = dimension * source.ElementType.SizeInBytes(), together = Math.Max(1, BufferBytes / rowBytes);
        byte[] rows = new byte[together * rowBytes];
        ulong[] keys = new ulong[together];
        string path = Path.Combine(directory, $"vectorpipe-{Path.GetRandomFileName()}.tmp");
        var file = new FileStream(
            path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, BufferBytes,
            FileOptions.Asynchronous | FileOptions.DeleteOnClose);
        try
        {
            long count = 0;
            while (await source.ReadAsync(rows, keys, cancellationToken).ConfigureAwait(false) is var read and > 0)
            {
                for (int i = 0; i < read; i++)
                {
                    await file.WriteAsync(rows.AsMemory(i * rowBytes, rowBytes), cancellationToken).ConfigureAwait(false);
                    await file.WriteAsync(BitConverter.GetBytes(keys[i]), cancellationToken).ConfigureAwait(false);
                }

                count += read;
            }

            file.Position = 0;
            return new SpooledVectorSource(file, source.ElementType, dimension, count);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int recordBytes = _rowBytes + sizeof(ulong), most = Math.Min(rows.Length / _rowBytes, keys.Length);
        if (_records.Length < most * recordBytes)
            _records = new byte[most * recordBytes];
        int bytes = await _file.ReadAtLeastAsync(
            _records.AsMemory(0, most * recordBytes), most * recordBytes, throwOnEndOfStream: false,
            cancellationToken).ConfigureAwait(false);
        int read = bytes / recordBytes;
        for (int i = 0; i < read; i++)
        {
            ReadOnlySpan<byte> record = _records.AsSpan(i * recordBytes, recordBytes);
            record[.._rowBytes].CopyTo(rows.Span[(i * _rowBytes)..]);
            keys.Span[i] = MemoryMarshal.Read<ulong>(record[_rowBytes..]);
        }

        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await _file.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }
}
