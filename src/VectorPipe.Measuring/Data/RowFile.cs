using VectorPipe.Formats;

namespace VectorPipe.Measuring.Data;

/// <summary>Writes files of vectors whose rows are computed one by one.</summary>
internal static class RowFile
{
    private const int BlockRows = 4096;

    /// <summary>The extension of a file with components of a type, with its dot.</summary>
    public static string ExtensionOf(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => ".fbin",
        VectorElementType.UInt8 => ".u8bin",
        VectorElementType.Int8 => ".i8bin",
        _ => ".npy",
    };

    /// <summary>Writes a file; a failure leaves an earlier file of the name as it was.</summary>
    /// <param name="fill">Fills the bytes of the row of a number; many threads call it at once.</param>
    public static async Task WriteAsync(
        string path, VectorElementType type, int dimension, int count, Action<Memory<byte>, int> fill, string phase,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        await using VectorFileWriter writer = VectorFileWriter.Create(path, type, dimension);
        int rowBytes = writer.RowBytes;
        int blockRows = Math.Min(count, BlockRows);
        var block = new byte[blockRows * rowBytes];
        for (int first = 0; first < count; first += blockRows)
        {
            int rows = Math.Min(blockRows, count - first);
            int start = first;
            Parallel.For(0, rows, i => fill(block.AsMemory(i * rowBytes, rowBytes), start + i));
            await writer.WriteAsync(block.AsMemory(0, rows * rowBytes), cancellationToken);
            progress?.Report(new BuildProgress(phase, first + rows, count));
        }

        await writer.CompleteAsync(cancellationToken);
    }
}
