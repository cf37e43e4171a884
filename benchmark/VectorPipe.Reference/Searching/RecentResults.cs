using System.Runtime.CompilerServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Results of a thread's latest queries, as entry points of its next one. They help if queries are alike.</summary>
/// <remarks>Thread-safe: each thread has its own. The cost of a query, and rarely its answer, depends on the queries before it.</remarks>
internal sealed class RecentResults : IEntrySource
{
    /// <summary>Results remembered for each query: the nearest lead to the others.</summary>
    public const int PerQuery = 4;

    /// <summary>Most results remembered; each costs every query a code distance.</summary>
    public const int Capacity = 256;

    private readonly ConditionalWeakTable<Thread, Ring> _rings = [];

    public int Count => Mine.Count;

    /// <summary>Internal ids of the calling thread's results, unordered and possibly repeated.</summary>
    public ReadOnlySpan<uint> Ids => Mine.Ids.AsSpan(0, Count);

    public int CopyTo(Span<uint> ids)
    {
        Ids.CopyTo(ids);
        return Count;
    }

    public void Note(ResultPool results)
    {
        Ring ring = Mine;
        for (int rank = 0; rank < Math.Min(PerQuery, results.Count); rank++)
        {
            ring.Ids[ring.Next] = results.Id(rank);
            ring.Next = (ring.Next + 1) % Capacity;
            ring.Count = Math.Min(ring.Count + 1, Capacity);
        }
    }

    /// <summary>Removes the calling thread's results.</summary>
    public void Clear() => _rings.Remove(Thread.CurrentThread);

    private Ring Mine => _rings.GetValue(Thread.CurrentThread, static _ => new Ring());

    private sealed class Ring
    {
        public uint[] Ids { get; } = new uint[Capacity];

        public int Next { get; set; }

        public int Count { get; set; }
    }
}
