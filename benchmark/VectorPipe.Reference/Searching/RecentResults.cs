using System.Runtime.CompilerServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Where the latest queries of a thread ended: nodes at which its next one enters, too. It saves work if queries come near
/// recent ones.</summary>
/// <remarks>Thread-safe: each thread has results of its own. A query's cost, and in rare cases its answer, then depends on the queries
/// before it.</remarks>
internal sealed class RecentResults : IEntrySource
{
    /// <summary>Results of a query that are remembered: the nearest lead to the others.</summary>
    public const int PerQuery = 4;

    /// <summary>Results that are remembered; each costs every query a code distance.</summary>
    public const int Capacity = 256;

    private readonly ConditionalWeakTable<Thread, Ring> _rings = [];

    /// <summary>Results of the calling thread.</summary>
    public int Count => Mine.Count;

    /// <summary>Internal ids of the calling thread's results, in no order; one may come twice.</summary>
    public ReadOnlySpan<uint> Ids => Mine.Ids.AsSpan(0, Count);

    /// <inheritdoc/>
    public int CopyTo(Span<uint> ids)
    {
        Ids.CopyTo(ids);
        return Count;
    }

    /// <inheritdoc/>
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

    /// <summary>Forgets the calling thread's results.</summary>
    public void Clear() => _rings.Remove(Thread.CurrentThread);

    private Ring Mine => _rings.GetValue(Thread.CurrentThread, static _ => new Ring());

    private sealed class Ring
    {
        public uint[] Ids { get; } = new uint[Capacity];

        public int Next { get; set; }

        public int Count { get; set; }
    }
}
