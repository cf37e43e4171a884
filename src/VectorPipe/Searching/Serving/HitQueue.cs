using System.Diagnostics;

namespace VectorPipe.Searching.Serving;

/// <summary>The hits of a cursor: those that were taken, and those found ahead, by searches for more and more.</summary>
/// <remarks>
/// <para>A search for k results does not end where one for fewer did: it knows better where its results lie. So the next search begins
/// anew, for more; with the pages that were read kept, that costs processor time and few reads. It asks for a tenth more than is wanted:
/// the reads grow with the results, so about a tenth of them may be in vain, and the work of all searches together is about eleven times
/// that of the last. Where the reads hardly depend on k, it asks for four times as much.</para>
/// <para>A hit that a later search finds nearer than those taken before comes next, and one that it does not find again stays: nothing
/// is missed, nothing comes twice. Not thread-safe.</para>
/// </remarks>
/// <param name="metric">Whose scores hits have.</param>
internal sealed class HitQueue(DistanceMetric metric)
{
    private const double Ahead = 1.1;
    private const double FarAhead = 4;

    private readonly HashSet<ulong> _taken = [];
    private readonly int _direction = metric == DistanceMetric.L2 ? 1 : -1;

    // Nearest last.
    private readonly List<SearchHit> _found = [];
    private int _last;
    private double _ahead = Ahead;
    private bool _isExhausted;

    /// <summary>Why the last search ended.</summary>
    public SearchEnd EndedBy { get; private set; }

    /// <summary>Hits found ahead.</summary>
    public int Count => _found.Count;

    /// <summary>How many results to search for, so that there are a number of hits; 0 if there are, or if no search finds more.</summary>
    public int WantedFor(int hits)
    {
        if (_found.Count >= hits || _isExhausted)
            return 0;
        double wanted = Math.Max((double)_taken.Count + hits, _last * _ahead);
        return (int)Math.Min(wanted + 0.5, int.MaxValue);
    }

    /// <summary>Takes in the results of a search, which begin with the nearest.</summary>
    /// <param name="hits">The results.</param>
    /// <param name="wanted">Results asked for.</param>
    /// <param name="endedBy">Why the search ended.</param>
    /// <param name="isFlat">Whether a search for more would cost hardly more reads.</param>
    /// <param name="isFresh">Whether what was searched has changed: hits found before are forgotten.</param>
    /// <returns>Whether the search went on to its own end; if not, another one may find more.</returns>
    public bool Add(ReadOnlySpan<SearchHit> hits, int wanted, SearchEnd endedBy, bool isFlat, bool isFresh = false)
    {
        bool wasCut = endedBy is SearchEnd.MaxReads or SearchEnd.Deadline;
        EndedBy = endedBy;
        _isExhausted = !wasCut && endedBy != SearchEnd.Complete;
        _last = wasCut ? _last : wanted;
        _ahead = isFlat ? FarAhead : Ahead;
        if (isFresh)
            _found.Clear();
        var known = _found.Select(static hit => hit.Key).ToHashSet();
        foreach (SearchHit hit in hits)
        {
            if (!_taken.Contains(hit.Key) && known.Add(hit.Key))
                _found.Add(hit);
        }

        _found.Sort(Compare);
        return !wasCut;
    }

    /// <summary>Looks at the nearest hit that was not taken yet.</summary>
    public bool TryPeek(out SearchHit hit)
    {
        hit = _found.Count > 0 ? _found[^1] : default;
        return _found.Count > 0;
    }

    /// <summary>The nearest hits that were not taken yet, as many as wanted if there are, nearest first.</summary>
    public SearchHit[] Peek(int wanted)
    {
        SearchHit[] nearest = [.. _found.TakeLast(wanted)];
        nearest.AsSpan().Reverse();
        return nearest;
    }

    /// <summary>Takes that hit.</summary>
    public SearchHit Take()
    {
        SearchHit hit = _found[^1];
        _found.RemoveAt(_found.Count - 1);
        bool isNew = _taken.Add(hit.Key);
        Debug.Assert(isNew, "nothing comes twice");
        return hit;
    }

    private int Compare(SearchHit a, SearchHit b)
    {
        int byScore = a.Score.CompareTo(b.Score) * _direction;
        return byScore != 0 ? -byScore : b.Key.CompareTo(a.Key);
    }
}
