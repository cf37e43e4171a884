using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>A thread's view of links and distances, whose rows need not all be in memory.</summary>
/// <remarks>
/// A row stays in memory from the call that shows it to the next <see cref="Begin"/>. Not thread-safe. Returned by <see cref="Dispose"/>.
/// </remarks>
internal sealed class GraphView(LinkTable links, IRowDistances distances, PageLease lease) : IDisposable
{
    private readonly IRowDistances _distances = distances;

    /// <summary>The links; a thread may touch shown rows only.</summary>
    public LinkTable LinkRows { get; } = links;

    /// <summary>Releases the rows shown so far.</summary>
    public void Begin() => lease.Begin();

    public ReadOnlySpan<int> Links(int row)
    {
        LinkRows.Ask(lease, row, 1);
        lease.Fetch();
        return LinkRows.Links(row);
    }

    /// <summary>Shows the links of neighbouring rows at once.</summary>
    public void Show(int first, int count)
    {
        LinkRows.Ask(lease, first, count);
        lease.Fetch();
    }

    /// <summary>Shows the links of rows at once.</summary>
    public void Show(ReadOnlySpan<int> rows)
    {
        LinkRows.Ask(lease, rows);
        lease.Fetch();
    }

    /// <summary>Hints that distances to rows will be asked for; <see cref="Prefetch"/> begins to read them.</summary>
    public void Hint(ReadOnlySpan<int> rows) => _distances.Hint(rows);

    public void Prefetch() => lease.Prefetch();

    public void Distances(int row, ReadOnlySpan<int> others, Span<float> distances) => _distances.Distances(row, others, distances);

    public void Dispose() => lease.Dispose();
}
