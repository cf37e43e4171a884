using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>A graph that several threads link at once. Thread-safe.</summary>
/// <remarks>Striped locks protect rows. A thread holds at most one, only to copy or write a row, never to compute a distance.</remarks>
internal sealed class SharedGraph
{
    private const int Stripes = 1 << 14;

    private readonly SpinLock[] _locks = new SpinLock[Stripes];

    /// <param name="links">Only this object writes them while they are shared.</param>
    public SharedGraph(LinkTable links, int entry)
    {
        Links = links;
        Entry = entry;

        // Owner tracking costs time, and no thread enters a lock twice.
        Array.Fill(_locks, new SpinLock(enableThreadOwnerTracking: false));
    }

    public LinkTable Links { get; }

    /// <summary>The entry point of searches.</summary>
    public int Entry { get; }

    /// <summary>Copies the links of a point, and returns their number.</summary>
    public int CopyLinks(int point, Span<int> links)
    {
        ref SpinLock stripe = ref Enter(point);
        try
        {
            ReadOnlySpan<int> row = Links.Links(point);
            row.CopyTo(links);
            return row.Length;
        }
        finally
        {
            stripe.Exit();
        }
    }

    /// <summary>Adds a link, and returns true, unless the row is full; a link that exists stays.</summary>
    public bool TryAddLink(int point, int link)
    {
        ref SpinLock stripe = ref Enter(point);
        try
        {
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
            stripe.Exit();
        }
    }

    /// <summary>Replaces the links of a point, and returns true, unless another thread has changed the expected ones.</summary>
    public bool TryReplaceLinks(int point, ReadOnlySpan<int> expected, ReadOnlySpan<int> links)
    {
        ref SpinLock stripe = ref Enter(point);
        try
        {
            if (!Links.Links(point).SequenceEqual(expected))
                return false;
            Links.SetLinks(point, links);
            return true;
        }
        finally
        {
            stripe.Exit();
        }
    }

    private ref SpinLock Enter(int point)
    {
        ref SpinLock stripe = ref _locks[point & (Stripes - 1)];
        bool taken = false;
        stripe.Enter(ref taken);
        return ref stripe;
    }
}
