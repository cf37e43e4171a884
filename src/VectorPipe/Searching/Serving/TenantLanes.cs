using System.Diagnostics;
using System.Runtime.InteropServices;

namespace VectorPipe.Searching.Serving;

/// <summary>The lanes on a run thread that take turns as one: those of a tenant, or that of an index without one.</summary>
/// <remarks>Only its run thread touches it, but for <see cref="Thread"/>.</remarks>
/// <param name="thread">Serves them.</param>
internal sealed class TenantLanes(RunThread thread)
{
    private readonly List<SearchLane> _lanes = [];
    private int _next;

    public RunThread Thread => thread;

    /// <summary>Lanes that have something to do, or a runner; until one comes or goes.</summary>
    public ReadOnlySpan<SearchLane> Lanes => CollectionsMarshal.AsSpan(_lanes);

    /// <summary>Lanes with requests that could go on when <see cref="Look"/> was called.</summary>
    public int Busy { get; private set; }

    /// <summary>Busy lanes that have no runner.</summary>
    public int Starved { get; private set; }

    /// <summary>Lanes that have a runner.</summary>
    public int Runners { get; private set; }

    /// <summary>Queries in flight.</summary>
    public int Queries { get; private set; }

    public void Add(SearchLane lane) => _lanes.Add(lane);

    public void Remove(SearchLane lane)
    {
        int at = _lanes.IndexOf(lane);
        _lanes.RemoveAt(at);

        // The turn is still of the same lane, or of the one behind the removed one.
        if (at < _next)
            _next--;
        AssertInvariants();
    }

    /// <summary>Counts its lanes at the start of a pass.</summary>
    public void Look()
    {
        Busy = Starved = Runners = Queries = 0;
        foreach (SearchLane lane in _lanes)
        {
            bool isBusy = lane.IsBusy, hasRunner = lane.HasRunner;
            Busy += isBusy ? 1 : 0;
            Runners += hasRunner ? 1 : 0;
            Starved += isBusy && !hasRunner ? 1 : 0;
            Queries += lane.Queries;
        }

        AssertInvariants();
    }

    /// <summary>Notes what a lane has after its turn.</summary>
    /// <param name="lane">The lane.</param>
    /// <param name="hadRunner">Whether it had a runner before.</param>
    /// <param name="before">Its queries in flight before.</param>
    public void Note(SearchLane lane, bool hadRunner, int before)
    {
        Runners += (lane.HasRunner ? 1 : 0) - (hadRunner ? 1 : 0);
        Queries += lane.Queries - before;
        AssertInvariants();
    }

    /// <summary>The lane whose turn it is; the next call returns the one behind it.</summary>
    public SearchLane Next()
    {
        if (_next >= _lanes.Count)
            _next = 0;
        return _lanes[_next++];
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_next >= 0 && _next <= _lanes.Count, "the turn is of a lane, or comes round to the first");
        Debug.Assert(Starved <= Busy && Runners >= 0 && Queries >= 0, "counts are of the lanes");
    }
}
