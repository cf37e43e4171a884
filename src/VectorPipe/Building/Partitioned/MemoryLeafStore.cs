using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>All vectors in memory: nothing is to be fetched.</summary>
internal sealed class MemoryLeafStore : ILeafStore
{
    private readonly VectorTable _table;

    /// <param name="points">Where the vectors come from; copied.</param>
    /// <param name="map">The order of the copy.</param>
    /// <param name="threads">Threads that copy.</param>
    /// <param name="cancellationToken">Observed at every leaf.</param>
    public MemoryLeafStore(PointSet points, LeafMap map, int threads, CancellationToken cancellationToken)
    {
        _table = new VectorTable(VectorForm.Of(points), points.Count);
        try
        {
            WorkQueue.Run(
                threads,
                map.Count,
                () => NoScratch.Instance,
                (_, leaf) =>
                {
                    for (int position = map.Offsets[leaf]; position < map.Offsets[leaf + 1]; position++)
                        _table.Load(position, points, map.Points[position]);
                },
                cancellationToken);
        }
        catch
        {
            _table.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public PanelRows Vectors => _table.Rows;

    /// <inheritdoc/>
    public void Hold(int leaf)
    {
    }

    /// <inheritdoc/>
    public void Release(int leaf)
    {
    }

    /// <inheritdoc/>
    public void Dispose() => _table.Dispose();
}
