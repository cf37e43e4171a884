namespace VectorPipe.Tool.Inputs;

/// <summary>Vectors from an array of NumPy. Disposes of its stream.</summary>
/// <remarks>
/// Rows of an array in C order are read as they come. In Fortran order a component of all rows is together: a block of rows is a part
/// of each of them, so the stream must be one that can be positioned.
/// </remarks>
internal sealed class NpySource : ArraySource
{
    private readonly Stream _stream;
    private readonly NpyArray _array;
    private readonly IAsyncDisposable? _owner;
    private byte[] _components = [];

    /// <param name="stream">Stands behind the header.</param>
    /// <param name="owner">Disposed of after the stream; null for nothing.</param>
    private NpySource(Stream stream, NpyArray array, StoredElement element, IAsyncDisposable? owner)
        : base(array.Place, element, array.Rows, array.Columns) => (_stream, _array, _owner) = (stream, array, owner);

    /// <summary>Checks an array and begins to read it.</summary>
    /// <param name="stream">Stands behind the header; owned from here on.</param>
    /// <param name="bytes">Bytes of the stream.</param>
    /// <param name="owner">Owned from here on; null for nothing.</param>
    public static async Task<NpySource> CreateAsync(
        Stream stream, long bytes, NpyArray array, IAsyncDisposable? owner, CancellationToken cancellationToken)
    {
        StoredElement element = array.RequireVectors();
        array.RequireLength(bytes, element.Bytes);
        bool isTransposed = array.IsFortran && array.Shape.Length == 2;
        if (isTransposed && !stream.CanSeek)
        {
            stream = await LoadAsync(stream, bytes - array.DataOffset, array.Place, cancellationToken);
            array = array with { DataOffset = 0 };
        }

        return new NpySource(stream, array with { IsFortran = isTransposed }, element, owner);
    }

    public override async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync();
        if (_owner is not null)
            await _owner.DisposeAsync();
        await base.DisposeAsync();
    }

    protected override async ValueTask ReadRowsAsync(long first, int count, Memory<byte> rows, CancellationToken cancellationToken)
    {
        try
        {
            if (_array.IsFortran)
                await ReadTransposedAsync(first, count, rows, cancellationToken);
            else
                await _stream.ReadExactlyAsync(rows, cancellationToken);
        }
        catch (Exception e) when (e is EndOfStreamException or InvalidDataException)
        {
            throw new UsageException($"{Place}: expected {Count} rows; found damaged ones after row {first}: {e.Message.TrimEnd('.')}.", e);
        }
    }

    private async ValueTask ReadTransposedAsync(long first, int count, Memory<byte> rows, CancellationToken cancellationToken)
    {
        if (_components.Length < count * StoredBytes)
            _components = new byte[count * StoredBytes];
        for (int component = 0; component < Dimension; component++)
        {
            _stream.Position = _array.DataOffset + (((component * Count) + first) * StoredBytes);
            await _stream.ReadExactlyAsync(_components.AsMemory(0, count * StoredBytes), cancellationToken);
            Scatter(rows.Span[(component * StoredBytes)..], count);
        }
    }

    private void Scatter(Span<byte> rows, int count)
    {
        for (int row = 0; row < count; row++)
            _components.AsSpan(row * StoredBytes, StoredBytes).CopyTo(rows[(row * StoredRowBytes)..]);
    }

    // An array of an archive comes in one pass only.
    private static async Task<Stream> LoadAsync(Stream stream, long bytes, string place, CancellationToken cancellationToken)
    {
        long most = Math.Min(Array.MaxLength, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 2);
        if (bytes > most)
            throw new UsageException(
                $"{place}: expected an array in Fortran order in an archive to fit into {most >> 20} MiB of memory; found "
                + $"{bytes >> 20} MiB: write it in C order, or as a file .npy.");
        byte[] array = new byte[bytes];
        await stream.ReadExactlyAsync(array, cancellationToken);
        await stream.DisposeAsync();
        return new MemoryStream(array, writable: false);
    }
}
