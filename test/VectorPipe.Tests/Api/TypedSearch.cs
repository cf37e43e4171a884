using System.Runtime.InteropServices;

namespace VectorPipe.Tests.Api;

/// <summary>Searches and look-ups of an index whose element type is known only at run time.</summary>
internal static class TypedSearch
{
    /// <summary>Searches for all queries.</summary>
    /// <returns>k hits per query, and the cost of each.</returns>
    public static (SearchHit[] Hits, SearchStatistics[] Statistics) Search(
        SearchSession session, TestIndex test, byte[] queries, int k, SearchOptions options)
    {
        int count = queries.Length / test.RowBytes;
        var hits = new SearchHit[count * k];
        var statistics = new SearchStatistics[count];
        switch (test.Type)
        {
            case VectorElementType.Float32:
                session.SearchMany<float>(MemoryMarshal.Cast<byte, float>(queries), k, hits, statistics, options);
                break;
            case VectorElementType.Float16:
                session.SearchMany<Half>(MemoryMarshal.Cast<byte, Half>(queries), k, hits, statistics, options);
                break;
            case VectorElementType.UInt8:
                session.SearchMany<byte>(queries, k, hits, statistics, options);
                break;
            default:
                session.SearchMany<sbyte>(MemoryMarshal.Cast<byte, sbyte>(queries), k, hits, statistics, options);
                break;
        }

        return (hits, statistics);
    }

    /// <summary>The stored vectors of all rows, by their keys.</summary>
    public static byte[] GetAll(SearchSession session, TestIndex test)
    {
        ulong[] keys = [.. Enumerable.Range(0, test.Count).Select(row => (ulong)row)];
        byte[] rows = new byte[test.Rows.Length];
        bool[] found = new bool[test.Count];
        switch (test.Type)
        {
            case VectorElementType.Float32:
                session.TryGetMany(keys, MemoryMarshal.Cast<byte, float>(rows.AsSpan()), found);
                break;
            case VectorElementType.Float16:
                session.TryGetMany(keys, MemoryMarshal.Cast<byte, Half>(rows.AsSpan()), found);
                break;
            case VectorElementType.UInt8:
                session.TryGetMany(keys, rows.AsSpan(), found);
                break;
            default:
                session.TryGetMany(keys, MemoryMarshal.Cast<byte, sbyte>(rows.AsSpan()), found);
                break;
        }

        return rows;
    }

    /// <summary>The share of the true neighbours that was found; ties count.</summary>
    public static double Recall(TestIndex test, byte[] queries, int k, SearchHit[] hits, SearchStatistics[] statistics)
    {
        int found = 0;
        for (int row = 0; row < statistics.Length; row++)
        {
            (ulong[] keys, float last) = test.Nearest(queries.AsSpan(row * test.RowBytes, test.RowBytes), k);
            foreach (SearchHit hit in hits.AsSpan(row * k, statistics[row].Hits))
                found += keys.Contains(hit.Key) || test.DistanceOf(hit.Score) <= last ? 1 : 0;
        }

        return found / (double)(statistics.Length * k);
    }
}
