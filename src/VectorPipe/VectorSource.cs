using VectorPipe.Formats;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>Where a build takes its vectors from: a stream of rows with their keys.</summary>
/// <remarks>Read once, by one build, from front to back. Derive from it to feed rows from elsewhere.</remarks>
public abstract class VectorSource : IAsyncDisposable
{
    /// <summary>Type of a component.</summary>
    public abstract VectorElementType ElementType { get; }

    /// <summary>Components of a vector.</summary>
    public abstract int Dimension { get; }

    /// <summary>Rows that the source will deliver.</summary>
    public abstract long Count { get; }

    /// <summary>Delivers the next rows.</summary>
    /// <param name="rows">Receives whole rows of dimension x element size bytes, one after another.</param>
    /// <param name="keys">Receives a key a row; as long as the rows that fit into <paramref name="rows"/>.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <returns>Rows delivered; 0 at the end.</returns>
    public abstract ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default);

    /// <summary>A file of vectors (.fbin, .u8bin, .i8bin, .fvecs, .bvecs, .npy); the key of a vector is its row number.</summary>
    /// <param name="path">The file.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="VectorFormatException">The file is not what its name says.</exception>
    public static async Task<VectorSource> OpenFileAsync(string path, CancellationToken cancellationToken = default) =>
        new FileVectorSource(await VectorFileReader.OpenAsync(path, cancellationToken).ConfigureAwait(false));

    /// <summary>Vectors in memory.</summary>
    /// <typeparam name="T">float, Half, byte or sbyte.</typeparam>
    /// <param name="rows">The components, row by row.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="keys">A key a row; empty for row numbers.</param>
    /// <exception cref="InvalidVectorException">The components are not a whole number of rows, or the keys not one a row.</exception>
    public static VectorSource FromMemory<T>(ReadOnlyMemory<T> rows, int dimension, ReadOnlyMemory<ulong> keys = default)
        where T : unmanaged => new MemoryVectorSource<T>(rows, dimension, keys);

    /// <summary>Releases what the source holds.</summary>
    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
