using VectorPipe.Formats;
using VectorPipe.Sources;

namespace VectorPipe;

/// <summary>The vectors of a build: a stream of rows with their keys.</summary>
/// <remarks>One build reads it once, from front to back. Not thread-safe. Derive from it to feed rows from elsewhere.</remarks>
public abstract class VectorSource : IAsyncDisposable
{
    /// <summary>The type of a component.</summary>
    public abstract VectorElementType ElementType { get; }

    /// <summary>Components of a vector.</summary>
    public abstract int Dimension { get; }

    /// <summary>Rows that the source will deliver.</summary>
    public abstract long Count { get; }

    /// <summary>Delivers the next rows.</summary>
    /// <param name="rows">Receives whole rows of dimension x element size bytes, one after another.</param>
    /// <param name="keys">Receives a key a row; room for as many keys as rows fit into <paramref name="rows"/>.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <returns>Rows delivered; 0 at the end.</returns>
    public abstract ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default);

    /// <summary>A file of vectors (.fbin, .u8bin, .i8bin, .fvecs, .bvecs, .npy); the key of a vector is its row number.</summary>
    /// <param name="path">The file.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="VectorFormatException">The file is not what its name says.</exception>
    public static async Task<VectorSource> OpenFileAsync(string path, CancellationToken cancellationToken = default) =>
        new FileVectorSource(await VectorFileReader.OpenAsync(path, cancellationToken).ConfigureAwait(false));

    /// <summary>A file of vectors, see <see cref="OpenFileAsync(string, CancellationToken)"/>, with a file of their keys.</summary>
    /// <param name="path">The file of vectors.</param>
    /// <param name="keysPath">The file of a key for each vector, in the same order: a one-dimensional .npy array of '&lt;u8', as an export
    /// writes it.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="VectorFormatException">A file is malformed, or there are not as many keys as vectors.</exception>
    public static async Task<VectorSource> OpenFileAsync(string path, string keysPath, CancellationToken cancellationToken = default)
    {
        VectorFileReader vectors = await VectorFileReader.OpenAsync(path, cancellationToken).ConfigureAwait(false);
        KeyFileReader? keys = null;
        try
        {
            keys = await KeyFileReader.OpenAsync(keysPath, cancellationToken).ConfigureAwait(false);
            if (keys.Count != vectors.Count)
                throw VectorFormatException.ForFile(keysPath, $"{vectors.Count} keys, one for each vector of {path}", $"{keys.Count}");
            return new FileVectorSource(vectors, keys);
        }
        catch
        {
            await vectors.DisposeAsync().ConfigureAwait(false);
            if (keys is not null)
                await keys.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Vectors in memory.</summary>
    /// <typeparam name="T">float, Half, byte or sbyte.</typeparam>
    /// <param name="rows">The components, row by row.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="keys">A key a row; empty for row numbers.</param>
    /// <exception cref="InvalidVectorException">The components are not a whole number of rows, or the keys not one a row.</exception>
    public static VectorSource FromMemory<T>(ReadOnlyMemory<T> rows, int dimension, ReadOnlyMemory<ulong> keys = default)
        where T : unmanaged => new MemoryVectorSource<T>(rows, dimension, keys);

    /// <summary>Vectors in an array.</summary>
    /// <typeparam name="T">float, Half, byte or sbyte.</typeparam>
    /// <param name="rows">The components, row by row.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="keys">A key a row; empty for row numbers.</param>
    /// <exception cref="InvalidVectorException">The components are not a whole number of rows, or the keys not one a row.</exception>
    public static VectorSource FromMemory<T>(T[] rows, int dimension, ReadOnlyMemory<ulong> keys = default)
        where T : unmanaged
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new MemoryVectorSource<T>(rows, dimension, keys);
    }

    /// <summary>A stream of a known number of vectors. The build reads it as it goes.</summary>
    /// <typeparam name="T">float, Half, byte or sbyte.</typeparam>
    /// <param name="vectors">Keys and vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="count">Vectors of the stream; a build fails if there are more or fewer.</param>
    public static VectorSource FromAsyncEnumerable<T>(
        IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<T>>> vectors, int dimension, long count)
        where T : unmanaged => new AsyncVectorSource<T>(vectors, dimension, count);

    /// <summary>A stream of an unknown number of vectors. Reads the stream to its end and copies the vectors to a file.</summary>
    /// <remarks>The file takes the bytes of all vectors, and 8 more for each. Disposal of the source deletes it.</remarks>
    /// <typeparam name="T">float, Half, byte or sbyte.</typeparam>
    /// <param name="vectors">Keys and vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="directory">An existing folder for the file; null for the folder of temporary files.</param>
    /// <param name="cancellationToken">Cancels reading.</param>
    /// <exception cref="InvalidVectorException">A vector has another number of components.</exception>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public static async Task<VectorSource> FromAsyncEnumerableAsync<T>(
        IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<T>>> vectors, int dimension, string? directory = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged =>
            await SpooledVectorSource.CreateAsync(vectors, dimension, directory ?? Path.GetTempPath(), cancellationToken)
            .ConfigureAwait(false);

    /// <summary>Releases the resources of the source.</summary>
    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
