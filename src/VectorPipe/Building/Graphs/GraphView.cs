using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>
/// A thread's view of a graph whose rows need not all be in memory: what it has shown since it last began is there until it begins anew.
/// </summary>
/// <remarks>Not thread-safe. Returned by <see cref="Dispose"/>.</remarks>
internal sealed class GraphView : IDisposable
{
    private readonly IRowDistances _distances;
    private readonly PageLease _lease;

    /// <param name="links">The links.</param>
    /// <param name="distances">Distances between rows, for this thread.</param>
    /// <param name="lease">Holds rows of the links; taken over.</param>
    public GraphView(LinkTable links, IRowDistances distances, PageLease lease)
    {
        LinkRows = links;
        _distances = distances;
        _lease = lease;
    }

    /// <summary>The links, of which only rows shown may be touched.</summary>
    public LinkTable LinkRows { get; }

    /// <summary>Lets go of what was shown so far.</summary>
    public void Begin() => _lease.Begin();

    /// <summary>The links of a row.</summary>
    public ReadOnlySpan<int> Links(int row)
    {
        LinkRows.Ask(_lease, row, 1);
        _lease.Fetch();
        return LinkRows.Links(row);
    }

    /// <summary>Shows the links of rows at once, so that <see cref="Links"/> need not wait for each.</summary>
    public void Show(int first, int count)
    {
        LinkRows.Ask(_lease, first, count);
        _lease.Fetch();
    }

    /// <summary>Shows the links of rows at once, so that <see cref="Links"/> need not wait for each.</summary>
    public void Show(ReadOnlySpan<int> rows)
    {
        LinkRows.Ask(_lease, rows);
        _lease.Fetch();
    }

    /// <summary>Says that distances to rows will be asked for: what is not in memory is fetched by <see cref="Prefetch"/>.</summary>
    public void Hint(ReadOnlySpan<int> rows) => _distances.Hint(rows);

    /// <summary>Begins to fetch what was hinted at.</summary>
    public void Prefetch() => _lease.Prefetch();

    /// <summary>Distances from one row to others.</summary>
    public void Distances(int row, ReadOnlySpan<int> others, Span<float> distances) => _distances.Distances(row, others, distances);

    /// <summary>Returns the lease.</summary>
    public void Dispose() => _lease.Dispose();
}
