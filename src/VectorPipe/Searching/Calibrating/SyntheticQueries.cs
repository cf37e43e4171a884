using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Makes queries from an index's own vectors, see docs/decisions.md#synthetic-queries.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal static class SyntheticQueries<T>
    where T : unmanaged
{
    /// <summary>Queries that are made together. Their neighbours take most of the memory.</summary>
    public const int BlockQueries = 64;

    // Vectors in memory for each query of a block: its neighbours, the vector that it is made of, and one to compute with.
    private const int VectorsHeld = Neighbours + 2;

    // The share of a vector in the hits and keys of the neighbours.
    private const int VectorOverhead = 64;

    private const int Neighbours = 12;

    // Distances of the nearest neighbour: one makes queries too easy, since pages were packed for the vector's own neighbourhood.
    private const float Lengths = 2;

    /// <summary>Most bytes that a number of queries take while they are made, and after.</summary>
    public static long MemoryBytes(int count, long vectorBytes) =>
        (count + Math.Min(count, BlockQueries) * (long)VectorsHeld) * (vectorBytes + VectorOverhead);

    /// <summary>Makes queries.</summary>
    /// <param name="session">Searches and looks up.</param>
    /// <param name="index">The index of the session.</param>
    /// <param name="count">Number of queries.</param>
    /// <param name="cancellationToken">Ends the work early.</param>
    /// <param name="blockQueries">Queries of a block; the queries do not depend on it.</param>
    /// <returns>Blocks of queries, all but the last of one length: an array may be too short for all.</returns>
    public static T[][] Make(
        SearchSession session, SearchIndex index, int count, CancellationToken cancellationToken, int blockQueries = BlockQueries)
    {
        int dimension = index.Schema.Dimension;
        int k = (int)Math.Min(Neighbours, index.Schema.Count);
        ulong[] sample = NodeSample.Read(session, index, count, cancellationToken);
        var block = new Block(session, index, Math.Min(count, blockQueries), k);
        var queries = new T[(count + blockQueries - 1) / blockQueries][];
        for (int i = 0; i < queries.Length; i++)
        {
            ReadOnlySpan<ulong> keys = sample.AsSpan(i * blockQueries, Math.Min(blockQueries, count - i * blockQueries));
            queries[i] = new T[keys.Length * dimension];
            block.Make(keys, queries[i], cancellationToken);
        }

        return queries;
    }

    /// <summary>The memory in which blocks of queries are made, one after another.</summary>
    private sealed class Block(SearchSession session, SearchIndex index, int queries, int k)
    {
        private readonly SearchOptions _options = index.Kind.NeighbourOptions(k);
        private readonly T[] _bases = new T[queries * index.Schema.Dimension];
        private readonly T[] _near = new T[queries * k * index.Schema.Dimension];
        private readonly SearchHit[] _hits = new SearchHit[queries * k];
        private readonly ulong[] _keys = new ulong[queries * k];
        private readonly bool[] _found = new bool[queries * k];
        private readonly float[] _query = new float[index.Schema.Dimension];
        private readonly float[] _rows = new float[k * index.Schema.Dimension];

        public void Make(ReadOnlySpan<ulong> sample, Span<T> made, CancellationToken cancellationToken)
        {
            // Look the vectors up in the same form as the neighbours: a vector is no neighbour of its own rounding.
            int dimension = index.Schema.Dimension, found = sample.Length * k;
            Span<T> bases = _bases.AsSpan(0, made.Length), near = _near.AsSpan(0, found * dimension);
            session.TryGetMany(sample, bases, _found.AsSpan(0, sample.Length), cancellationToken);
            session.SearchMany<T>(bases, k, _hits.AsSpan(0, found), [], _options, cancellationToken);
            for (int i = 0; i < found; i++)
                _keys[i] = _hits[i].Key;
            session.TryGetMany(_keys.AsSpan(0, found), near, _found.AsSpan(0, found), cancellationToken);
            for (int i = 0; i < sample.Length; i++)
            {
                Span<T> query = made.Slice(i * dimension, dimension);
                ToFloats(index, near.Slice(i * k * dimension, k * dimension), _rows);
                ToFloats(index, bases.Slice(i * dimension, dimension), _query);
                Displace(_query, _rows, k);
                VectorConversion.FromFloat(index.Schema.ElementType, _query, MemoryMarshal.AsBytes(query));

                // Under the cosine metric zeros are no query; the vector itself is one.
                if (VectorConversion.FindDefect(index.Schema.Metric, index.Schema.ElementType, MemoryMarshal.AsBytes(query)) is not null)
                    bases.Slice(i * dimension, dimension).CopyTo(query);
            }
        }
    }

    private static void ToFloats(SearchIndex index, ReadOnlySpan<T> components, Span<float> floats) =>
        VectorConversion.ToFloat(index.Schema.ElementType, MemoryMarshal.AsBytes(components), floats[..components.Length]);

    // Adds the difference of two neighbours, cut to a multiple of the distance of the nearest one that is not a copy.
    private static void Displace(Span<float> query, ReadOnlySpan<float> rows, int k)
    {
        int dimension = query.Length;
        double nearest = 0;
        for (int i = 0; i < k && nearest == 0; i++)
            nearest = SquaredDistance(query, rows.Slice(i * dimension, dimension));
        ReadOnlySpan<float> a = rows.Slice((k - 1) * dimension, dimension), b = rows.Slice(k / 2 * dimension, dimension);
        double apart = SquaredDistance(a, b);
        if (apart == 0)
            return;
        float scale = Lengths * (float)Math.Sqrt(nearest / apart);
        for (int i = 0; i < dimension; i++)
            query[i] += scale * (a[i] - b[i]);
    }

    private static double SquaredDistance(ReadOnlySpan<float> a, ReadOnlySpan<float> b)
    {
        double sum = 0;
        for (int i = 0; i < a.Length; i++)
            sum += (double)(a[i] - b[i]) * (a[i] - b[i]);
        return sum;
    }
}
