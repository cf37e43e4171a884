using VectorPipe.Model.Search;

namespace VectorPipe;

/// <summary>The cost of one query. Counts are exact; times are wall-clock microseconds.</summary>
public readonly record struct SearchStatistics
{
    /// <summary>Number of results: k, unless <see cref="EndedBy"/> gives a reason for fewer.</summary>
    public int Hits { get; init; }

    /// <summary>Why the search ended.</summary>
    public SearchEnd EndedBy { get; init; }

    /// <summary>Vectors that match the filter, of all of the index; null without a filter.</summary>
    /// <remarks>Of a collection: those in its index, whatever the writes say that wait in memory.</remarks>
    public long? Matches { get; init; }

    /// <summary>How the search found the near ones among them.</summary>
    public FilterStrategy Strategy { get; init; }

    /// <summary>How the recall is known: calibrated, estimated or exact.</summary>
    public RecallBasis RecallBasis { get; init; }

    /// <summary>Reads from the device: of a page each (graph), of up to 64 KiB each (IVF).</summary>
    /// <remarks>An exact search counts the reads, of many pages each, of the scan that it shared with other queries.</remarks>
    public int Reads { get; init; }

    /// <summary>Pages read from the device.</summary>
    public int PagesRead { get; init; }

    /// <summary>IVF: pages scanned, from device or cache, without those read ahead in vain: a function of the query alone.</summary>
    internal int PagesScanned { get; init; }

    /// <summary>Bytes read from the device.</summary>
    public long BytesRead { get; init; }

    /// <summary>Groups of reads that were issued one after another, each after an earlier one had arrived.</summary>
    public int Rounds { get; init; }

    /// <summary>Nodes whose links were followed.</summary>
    public int Hops { get; init; }

    /// <summary>Pages found in the cache.</summary>
    public int CacheHits { get; init; }

    /// <summary>Distances computed on compressed codes.</summary>
    public int CodeDistances { get; init; }

    /// <summary>Distances computed on stored vectors.</summary>
    public int ExactDistances { get; init; }

    /// <summary>Time from acceptance to answer, µs.</summary>
    public double ElapsedUs { get; init; }

    /// <summary>Part of it: waiting for a place in a session, µs.</summary>
    public double QueueUs { get; init; }

    /// <summary>Part of it: computing for this query, µs.</summary>
    public double CpuUs { get; init; }

    /// <summary>The rest of it: waiting for reads and, with other queries in flight, for the thread, µs.</summary>
    public double IoUs => Math.Max(0, ElapsedUs - QueueUs - CpuUs);

    /// <summary>Tells a person what the search did, and why: effort, filter, work, time and end, a line each.</summary>
    public string Explain() => SearchExplanation.Of(this);
}
