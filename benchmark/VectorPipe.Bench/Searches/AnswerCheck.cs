using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Bench.Searches;

/// <summary>Checks every answer of a sweep, outside of the measured time. Not thread-safe.</summary>
/// <remarks>
/// The answers of a beam, and of an IVF index, are reproducible: they must equal those of one thread. A pipelined search of a graph is not:
/// its hits must be sorted and distinct, and each score must be that of the key's vector in the element type of the pages.
/// </remarks>
internal sealed class AnswerCheck<T>(MeasuredIndex index, VectorMatrix queries, int k)
    where T : unmanaged
{
    // Empty where an answer is not reproducible.
    private readonly Dictionary<SearchOptions, SearchHit[]> _expected = [];
    private readonly SearchHit[] _checked = new SearchHit[queries.Count * k];
    private readonly QueryDistance _distance =
        QueryDistance.Create(index.Info.Metric, index.Info.PageElementType, index.Info.Dimension, index.Info.ElementType);
    private readonly ulong[] _keys = new ulong[k];
    private readonly T[] _vectors = new T[checked(k * index.Info.Dimension)];
    private readonly byte[] _scored = new byte[k * index.Info.PageVectorBytes];
    private readonly bool[] _found = new bool[k];
    private readonly float[] _distances = new float[k];

    /// <summary>Finds the answers of one thread. Call it before a measurement with these options.</summary>
    /// <remarks>Every mode gets such a pass, not only those whose answers must be the same: code is compiled while it runs.</remarks>
    public void Prepare(SearchOptions options, CancellationToken cancellationToken)
    {
        if (_expected.ContainsKey(options))
            return;
        var hits = new SearchHit[queries.Count * k];
        using SearchSession session = index.OpenSession();
        session.SearchMany(MemoryMarshal.Cast<byte, T>(queries.Bytes), k, hits, [], options, cancellationToken);
        _expected.Add(options, IsReproducible(options) ? hits : []);
    }

    /// <exception cref="IndexCorruptException">An answer is wrong.</exception>
    public void Check(SearchOptions options, SearchMeasurement pass, CancellationToken cancellationToken)
    {
        using SearchSession session = index.OpenSession();
        for (int query = 0; query < queries.Count; query++)
        {
            ReadOnlySpan<SearchHit> hits = pass.Hits.AsSpan(query * k, k);
            if (pass.Statistics[query].Hits != k)
                throw Wrong(query, $"{k} hits", $"{pass.Statistics[query].Hits}");
            if (IsReproducible(options))
                CheckBeam(query, _expected[options].AsSpan(query * k, k), hits);

            // An answer that passed before need not be checked again.
            else if (!hits.SequenceEqual(_checked.AsSpan(query * k, k)))
                CheckScores(session, query, hits, cancellationToken);
        }
    }

    private bool IsReproducible(SearchOptions options) => options.Mode == SearchMode.Beam || index.Info.Kind == IndexKind.Ivf;

    private void CheckBeam(int query, ReadOnlySpan<SearchHit> expected, ReadOnlySpan<SearchHit> hits)
    {
        int same = expected.CommonPrefixLength(hits);
        if (same < hits.Length)
            throw Wrong(query, $"{expected[same]} at rank {same}, as one thread finds", $"{hits[same]}");
    }

    private unsafe void CheckScores(SearchSession session, int query, ReadOnlySpan<SearchHit> hits, CancellationToken cancellationToken)
    {
        for (int rank = 0; rank < k; rank++)
        {
            _keys[rank] = hits[rank].Key;
            if (_keys.AsSpan(0, rank).Contains(_keys[rank]))
                throw Wrong(query, "distinct keys", $"key {_keys[rank]} once more at rank {rank}");
        }

        session.TryGetMany<T>(_keys, _vectors, _found, cancellationToken);
        _distance.SetQuery(queries.Row(query));
        VectorConversion.Convert(index.Info.ElementType, MemoryMarshal.AsBytes<T>(_vectors), index.Info.PageElementType, _scored);
        fixed (byte* first = _scored)
            _distance.ComputeStrided(first, index.Info.PageVectorBytes, k, _distances);
        for (int rank = 0; rank < k; rank++)
        {
            float score = QueryDistance.ToScore(index.Info.Metric, _distances[rank]);
            if (!_found[rank] || score != hits[rank].Score)
                throw Wrong(
                    query, _found[rank] ? $"score {score} of key {_keys[rank]}" : $"a key of the index at rank {rank}", $"{hits[rank]}");
            if (rank > 0 && _distances[rank] < _distances[rank - 1])
                throw Wrong(query, "the nearest first", $"{hits[rank]} behind {hits[rank - 1]}");
        }

        hits.CopyTo(_checked.AsSpan(query * k));
    }

    private IndexCorruptException Wrong(int query, string expected, string found) =>
        new($"{index.Info.Directory}, query {query}: expected {expected}, found {found}.");
}
