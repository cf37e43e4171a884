using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Bench.Growing;

/// <summary>More vectors like those of a file: each lies between one of them and one of its near neighbours, with noise.</summary>
/// <remarks>
/// A row depends on the base, the neighbours, the noise, the seed and its number, but not on threads or the number of rows. Immutable;
/// thread-safe. Copies of a set at other places would keep its density; this raises it, as more data of the same kind does.
/// </remarks>
internal sealed class GrownVectors
{
    /// <summary>Neighbours of a vector, of which a new one has one.</summary>
    public const int Neighbours = 10;

    private const ulong Stream = 0x47524F57;
    private const int BlockQueries = 20_000;

    private readonly VectorMatrix _vectors;
    private readonly int[] _neighbours;
    private readonly float _noise;
    private readonly ulong _seed;

    private GrownVectors(VectorMatrix vectors, int[] neighbours, float noise, ulong seed) =>
        (_vectors, _neighbours, _noise, _seed) = (vectors, neighbours, noise, seed);

    /// <summary>Finds the near neighbours of all vectors.</summary>
    /// <param name="index">An index of the vectors, whose keys are their rows.</param>
    /// <param name="vectors">The vectors.</param>
    /// <param name="noise">Noise of a new vector, as a share of the distance of the two that it lies between.</param>
    /// <param name="seed">Seed of all random choices.</param>
    /// <param name="progress">Receives the vectors whose neighbours were found; may be null.</param>
    /// <param name="cancellationToken">Ends the work early.</param>
    public static async Task<GrownVectors> PrepareAsync(
        VectorIndex index, VectorMatrix vectors, float noise, ulong seed, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        var neighbours = new int[vectors.Count * Neighbours];
        for (int first = 0; first < vectors.Count; first += BlockQueries)
        {
            int rows = Math.Min(BlockQueries, vectors.Count - first);
            ReadOnlyMemory<byte> block = vectors.Bytes.AsMemory(first * vectors.RowBytes, rows * vectors.RowBytes);
            SearchResult[] found = await SearchAsync(index, block, cancellationToken);
            for (int i = 0; i < rows; i++)
                Take(found[i], first + i, vectors.Count, neighbours.AsSpan((first + i) * Neighbours, Neighbours));
            progress?.Report(new BuildProgress("neighbours", first + rows, vectors.Count));
        }

        return new GrownVectors(vectors, neighbours, noise, seed);
    }

    /// <summary>Writes the vectors of the base, then new ones, up to a number.</summary>
    public Task WriteAsync(string path, int count, IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        RowFile.WriteAsync(
            path, _vectors.ElementType, _vectors.Dimension, count, (row, number) => Fill(row.Span, number), "write", progress,
            cancellationToken);

    /// <summary>Fills the bytes of the row of a number.</summary>
    public void Fill(Span<byte> row, int number)
    {
        int source = number % _vectors.Count;
        _vectors.Row(source).CopyTo(row);
        if (number < _vectors.Count)
            return;
        int dimension = _vectors.Dimension;
        ulong seed = RowSeeds.Of(_seed, Stream, number);
        var random = new SplitMix64(seed);
        int neighbour = _neighbours[(source * Neighbours) + random.Next(Neighbours)];
        float share = random.Next(1 << 20) / (float)(1 << 20);
        float[] from = new float[dimension], to = new float[dimension];
        VectorConversion.ToFloat(_vectors.ElementType, row, from);
        VectorConversion.ToFloat(_vectors.ElementType, _vectors.Row(neighbour), to);
        double squares = 0;
        for (int i = 0; i < dimension; i++)
            squares += ((double)to[i] - from[i]) * ((double)to[i] - from[i]);
        float spread = _noise * (float)Math.Sqrt(squares / dimension);
        var normal = new GaussianRandom(~seed);
        for (int i = 0; i < dimension; i++)
            from[i] += (share * (to[i] - from[i])) + (spread * normal.Next());
        VectorConversion.FromFloat(_vectors.ElementType, from, row);
    }

    private static Task<SearchResult[]> SearchAsync(VectorIndex index, ReadOnlyMemory<byte> block, CancellationToken cancellationToken)
    {
        // The vector itself is among the nearest. By beam, whose answers do not depend on which read landed first.
        const int k = Neighbours + 1;
        var options = new SearchOptions { Mode = SearchMode.Beam };
        return index.Info.ElementType switch
        {
            VectorElementType.Float32 => index.SearchBatchAsync<float>(
                MemoryMarshal.Cast<byte, float>(block.Span), k, options, cancellationToken),
            VectorElementType.Float16 => index.SearchBatchAsync<Half>(
                MemoryMarshal.Cast<byte, Half>(block.Span), k, options, cancellationToken),
            VectorElementType.UInt8 => index.SearchBatchAsync(block, k, options, cancellationToken),
            _ => index.SearchBatchAsync<sbyte>(MemoryMarshal.Cast<byte, sbyte>(block.Span), k, options, cancellationToken),
        };
    }

    // A vector that was not found itself has one neighbour more; one of which little was found has some of them twice.
    private static void Take(SearchResult found, int row, int rows, Span<int> neighbours)
    {
        int count = 0;
        for (int rank = 0; rank < found.Count && count < Neighbours; rank++)
        {
            UsageException.Require(
                found[rank].Key < (ulong)rows, "--data-path", $"the key {found[rank].Key}", $"an index with rows as keys, below {rows}");
            if (found[rank].Key != (ulong)row)
                neighbours[count++] = (int)found[rank].Key;
        }

        for (int i = count; i < Neighbours; i++)
            neighbours[i] = count == 0 ? row : neighbours[i % count];
    }
}
