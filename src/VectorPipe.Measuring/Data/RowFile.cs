using VectorPipe.Formats;

namespace VectorPipe.Measuring.Data;

/// <summary>Files of vectors whose rows are made one by one.</summary>
internal static class RowFile
{
    private const int BlockRows = 4096;

    /// <summary>The extension of a file that holds components of a type, with its dot.</summary>
    public static string ExtensionOf(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => ".fbin",
        VectorElementType.UInt8 => ".u8bin",
        VectorElementType.Int8 => ".i8bin",
        _ => ".npy",
    };

    /// <summary>Makes a file; what bears its name is whole, or was there before.</summary>
    /// <param name="path">The file; its extension fits the type.</param>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a row.</param>
    /// <param name="count">Rows.</param>
    /// <param name="fill">Given a row's bytes and its number, makes the row; called by many threads at once.</param>
    /// <param name="phase">What the progress is of.</param>
    /// <param name="progress">Told the rows written; may be null.</param>
    /// <param name="cancellationToken">Ends the work; nothing is left of it then.</param>
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
