using System.Runtime.InteropServices;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring.Data;

/// <summary>Saves ground-truth and ivecs files.</summary>
internal static class GroundTruthWriter
{
    private const int PieceBytes = 1 << 20;

    // GroundTruth.SaveAsync has checked the arguments.
    public static async Task SaveAsync(
        string path, int count, int k, ReadOnlyMemory<uint> ids, ReadOnlyMemory<float> distances, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await using var file = new StagedOutput(path);
        if (GroundTruth.IsIvecs(path))
            await WriteRowsAsync(file.Stream, k, ids, cancellationToken);
        else
            await WriteTruthAsync(file.Stream, count, k, ids, distances, cancellationToken);
        await file.CompleteAsync(cancellationToken);
    }

    private static async Task WriteTruthAsync(
        FileStream file, int count, int k, ReadOnlyMemory<uint> ids, ReadOnlyMemory<float> distances, CancellationToken cancellationToken)
    {
        await WriteAsync<int>(file, new[] { count, k }, cancellationToken);
        await WriteAsync(file, ids, cancellationToken);
        await WriteAsync(file, distances, cancellationToken);
    }

    private static async Task WriteRowsAsync(FileStream file, int k, ReadOnlyMemory<uint> ids, CancellationToken cancellationToken)
    {
        uint[] row = new uint[k + 1];
        row[0] = (uint)k;
        for (; !ids.IsEmpty; ids = ids[k..])
        {
            ids[..k].CopyTo(row.AsMemory(1));
            await WriteAsync<uint>(file, row, cancellationToken);
        }
    }

    private static async Task WriteAsync<T>(FileStream file, ReadOnlyMemory<T> values, CancellationToken cancellationToken)
        where T : unmanaged
    {
        byte[] piece = new byte[Math.Min(PieceBytes, (long)values.Length * GroundTruth.ElementBytes)];
        while (!values.IsEmpty)
        {
            int count = Math.Min(piece.Length / GroundTruth.ElementBytes, values.Length);
            MemoryMarshal.AsBytes(values.Span[..count]).CopyTo(piece);
            await file.WriteAsync(piece.AsMemory(0, count * GroundTruth.ElementBytes), cancellationToken);
            values = values[count..];
        }
    }
}
