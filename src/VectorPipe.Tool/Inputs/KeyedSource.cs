using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Inputs;

/// <summary>Vectors with keys from another file. Disposes of both.</summary>
internal sealed class KeyedSource(VectorSource vectors, KeyFile keys, string path) : VectorSource
{
    private long _row;

    public override VectorElementType ElementType => vectors.ElementType;

    public override int Dimension => vectors.Dimension;

    public override long Count => vectors.Count;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> numbers, CancellationToken cancellationToken = default)
    {
        int read = await vectors.ReadAsync(rows, numbers, cancellationToken);
        for (int i = 0; i < read; i++)
        {
            string key = await keys.NextAsync(cancellationToken);
            numbers.Span[i] = KeyText<ulong>.Parse(key, $"'{path}': row {_row++}");
        }

        if (_row == Count)
            await keys.RequireEndAsync(cancellationToken);
        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await keys.DisposeAsync();
        await vectors.DisposeAsync();
        await base.DisposeAsync();
    }
}
