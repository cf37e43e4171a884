using System.Diagnostics;

namespace VectorPipe.Collections.Reading;

/// <summary>The answer to a search, by handles, in room that its owner uses for one search after another.</summary>
internal sealed class FoundRecords
{
    private SearchHit[] _hits = [];

    /// <summary>The hits, nearest first; the keys are handles.</summary>
    public ReadOnlySpan<SearchHit> Hits => _hits.AsSpan(0, Count);

    /// <summary>The number of hits.</summary>
    public int Count { get; private set; }

    /// <summary>The number up to which writes were visible.</summary>
    public long Sequence { get; private set; }

    /// <summary>The cost of the query.</summary>
    public SearchStatistics Statistics { get; private set; }

    /// <summary>Room for hits, which begins with those that are there. Hits are valid again after <see cref="End"/>.</summary>
    public Memory<SearchHit> RoomFor(int count)
    {
        if (_hits.Length < count)
            Array.Resize(ref _hits, count);
        return _hits.AsMemory(0, count);
    }

    /// <summary>The first hits in the room are the answer.</summary>
    /// <param name="count">Their number.</param>
    /// <param name="sequence">The number up to which writes were visible.</param>
    /// <param name="statistics">The cost of the query.</param>
    public void End(int count, long sequence, SearchStatistics statistics)
    {
        Debug.Assert(count <= _hits.Length && statistics.Hits == count, "hits are in the room");
        Count = count;
        Sequence = sequence;
        Statistics = statistics;
    }

    /// <summary>Before the next search.</summary>
    public void Clear()
    {
        Count = 0;
        Statistics = default;
    }
}
