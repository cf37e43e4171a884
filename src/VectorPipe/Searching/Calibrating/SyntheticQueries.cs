using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Queries that lie where the data lies and are none of it.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal static class SyntheticQueries<T>
    where T : unmanaged
{
    /// <summary>Vectors that are held for each query while it is made: its neighbours, the vector that it is made of, and itself.</summary>
    public const int VectorsHeld = Neighbours + 3;

    private const int Neighbours = 12;
    private const int Probes = 16;

    // Farther out than a query lies, since a vector's own neighbourhood was packed and linked with it in mind. Aimed at 0.95, 0.98, 0.99, real queries found .951, .980, .993 with 2 and .934, .977, .988
    // with 1 (photo-SIFT 1M); .939, .970, .983 and .934, .972, .984 (text, 25,000).
    private const float Lengths = 2;

    /// <summary>Makes queries.</summary>
    /// <param name="session">Searches and looks up.</param>
    /// <param name="index">What it searches.</param>
    /// <param name="count">How many.</param>
    /// <param name="cancellationToken">Ends the work early.</param>
    /// <returns>count x dimension components.</returns>
    public static T[] Make(SearchSession session, SearchIndex index, int count, CancellationToken cancellationToken)
    {
        int dimension = index.Schema.Dimension;
        ulong[] sample = NodeSample.Read(session, index, count, cancellationToken);

        // Looked up like the neighbours, in the same form: a vector is no neighbour of its own rounding.
        var bases = new T[count * dimension];
        session.TryGetMany(sample, bases.AsSpan(), new bool[count], cancellationToken);
        int k = (int)Math.Min(Neighbours, index.Schema.Count);
        var hits = new SearchHit[count * k];
        SearchOptions options = index.Schema.Lists is null
            ? new SearchOptions { Policy = SearchPolicy.List, ListSize = Math.Max(50, k), Mode = SearchMode.Beam }
            : new SearchOptions { Probes = Probes };
        session.SearchMany<T>(bases, k, hits, [], options, cancellationToken);

        ulong[] keys = [.. hits.Select(hit => hit.Key)];
        var near = new T[keys.Length * dimension];
        session.TryGetMany(keys, near.AsSpan(), new bool[keys.Length], cancellationToken);
        var query = new float[dimension];
        var rows = new float[k * dimension];
        var queries = new T[count * dimension];
        for (int i = 0; i < count; i++)
        {
            ToFloats(index, near.AsSpan(i * k * dimension, k * dimension), rows);
            ToFloats(index, bases.AsSpan(i * dimension, dimension), query);
            Displace(query, rows, k);
            VectorConversion.FromFloat(index.Schema.ElementType, query, MemoryMarshal.AsBytes(queries.AsSpan(i * dimension, dimension)));

            // A vector of nothing but zeros has no direction and cannot be asked for under the cosine metric; the vector itself can.
            if (VectorConversion.FindDefect(index.Schema.Metric, index.Schema.ElementType, MemoryMarshal.AsBytes(queries.AsSpan(i * dimension, dimension))) is not null)
                bases.AsSpan(i * dimension, dimension).CopyTo(queries.AsSpan(i * dimension));
        }

        return queries;
    }

    private static void ToFloats(SearchIndex index, ReadOnlySpan<T> components, Span<float> floats) =>
        VectorConversion.ToFloat(index.Schema.ElementType, MemoryMarshal.AsBytes(components), floats[..components.Length]);

    // The difference of two neighbours, cut to a multiple of the distance of the nearest one that is not a copy.
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
