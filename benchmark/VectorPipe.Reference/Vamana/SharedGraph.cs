using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>A graph that several threads link at a time: rows are copied out and written under striped locks.</summary>
/// <remarks>
/// Thread-safe. A lock is held only while a row is copied or written, never while a distance is computed, and never two at a time.
/// </remarks>
internal sealed class SharedGraph
{
    private const int Stripes = 1 << 14;

    private readonly SpinLock[] _locks = new SpinLock[Stripes];

    /// <param name="links">Written by nobody else while they are shared.</param>
    /// <param name="entry">The point at which searches enter.</param>
    public SharedGraph(LinkTable links, int entry)
    {
        Links = links;
        Entry = entry;
        // Tracking the owner would make every entry dearer, and nothing here enters twice.
        Array.Fill(_locks, new SpinLock(enableThreadOwnerTracking: false));
    }

    /// <summary>The links that are shared.</summary>
    public LinkTable Links { get; }

    /// <summary>The point at which searches enter.</summary>
    public int Entry { get; }

    /// <summary>Copies the out-links of a point.</summary>
    /// <param name="point">Whose links.</param>
    /// <param name="links">Receives them; has room for the largest degree.</param>
    /// <returns>How many there are.</returns>
    public int CopyLinks(int point, Span<int> links)
    {
        ref SpinLock stripe = ref _locks[point & (Stripes - 1)];
        bool taken = false;
        try
        {
            stripe.Enter(ref taken);
            ReadOnlySpan<int> row = Links.Links(point);
            row.CopyTo(links);
            return row.Length;
        }
        finally
        {
            if (taken)
                stripe.Exit();
        }
    }

    /// <summary>Adds a link unless it is there already or the row is full.</summary>
    /// <returns>Whether the link is there now.</returns>
    public bool TryAddLink(int point, int link)
    {
        ref SpinLock stripe = ref _locks[point & (Stripes - 1)];
        bool taken = false;
        try
        {
            stripe.Enter(ref taken);
            ReadOnlySpan<int> row = Links.Links(point);
            if (row.Contains(link))
                return true;
            if (row.Length == Links.MaxDegree)
                return false;
            Links.SetLink(point, row.Length, link);
            return true;
        }
        finally
        {
            if (taken)
                stripe.Exit();
        }
    }

    /// <summary>Replaces the out-links of a point if they still are what they were.</summary>
    /// <param name="point">Whose links.</param>
    /// <param name="expected">The links that were copied out.</param>
    /// <param name="links">The new links.</param>
    /// <returns>False when another thread has changed them in between; nothing is written then.</returns>
    public bool TryReplaceLinks(int point, ReadOnlySpan<int> expected, ReadOnlySpan<int> links)
    {
        ref SpinLock stripe = ref _locks[point & (Stripes - 1)];
        bool taken = false;
        try
        {
            stripe.Enter(ref taken);
            if (!Links.Links(point).SequenceEqual(expected))
                return false;
            Links.SetLinks(point, links);
            return true;
        }
        finally
        {
            if (taken)
                stripe.Exit();
        }
    }
}
