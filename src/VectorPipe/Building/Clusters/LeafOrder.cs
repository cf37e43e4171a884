using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Clusters;

/// <summary>The vectors of a build in leaf order, in the form of the kernels, and the records that they come from.</summary>
/// <remarks>Freed by <see cref="Dispose"/>, the points it was made of included.</remarks>
internal sealed class LeafOrder : IDisposable
{
    private LeafOrder(VectorTable vectors, PointTable records, int[]? pointOfRow)
    {
        Vectors = vectors;
        Records = new GraphRecords(records, pointOfRow);
    }

    /// <summary>The vectors by position.</summary>
    public VectorTable Vectors { get; }

    /// <summary>The records by position.</summary>
    public GraphRecords Records { get; }

    /// <summary>Brings points into leaf order.</summary>
    /// <param name="points">The points; taken over once this method has succeeded.</param>
    /// <param name="map">The order.</param>
    /// <param name="levels">Samples of the points.</param>
    /// <param name="space">Where tables are paged; null to have them in memory.</param>
    /// <param name="shuffleBytes">Bytes for rows that are shuffled, if tables are paged.</param>
    /// <param name="threads">Threads that copy.</param>
    /// <param name="cancellationToken">Observed at every leaf.</param>
    public static LeafOrder Of(
        PointTable points, LeafMap map, SampleLevels levels, BuildSpace? space, long shuffleBytes, int threads,
        CancellationToken cancellationToken) =>
        space is null
        ? InMemory(points, map, threads, cancellationToken)
        : Paged(points, map, levels, space, shuffleBytes, cancellationToken);

    /// <summary>Frees vectors and records.</summary>
    public void Dispose()
    {
        Vectors.Dispose();
        Records.Table.Dispose();
    }

    private static LeafOrder InMemory(PointTable points, LeafMap map, int threads, CancellationToken cancellationToken)
    {
        var vectors = new VectorTable(KernelRowFormat.Of(points), points.Count);
        try
        {
            WorkQueue.Run(
                threads,
                map.Count,
                () => NoScratch.Instance,
                (_, leaf) =>
                {
                    for (int position = map.Offsets[leaf]; position < map.Offsets[leaf + 1]; position++)
                        vectors.Load(position, points, map.Points[position]);
                },
                cancellationToken);
            return new LeafOrder(vectors, points, map.Points);
        }
        catch
        {
            vectors.Dispose();
            throw;
        }
    }

    private static LeafOrder Paged(
        PointTable points, LeafMap map, SampleLevels levels, BuildSpace space, long shuffleBytes, CancellationToken cancellationToken)
    {
        ShufflePaths paths = space.ShufflePaths("leaves");
        ShuffledLayout layout = Shuffle(points, map, space, shuffleBytes, paths, cancellationToken);
        try
        {
            // Room on the disk and in memory for what comes next.
            points.Dispose();
            var records = new PointTable(
                points.Metric, points.Type, points.Dimension, points.Count, space.Memory,
                "records")
            { LargestSquaredNorm = points.LargestSquaredNorm };
            VectorTable? vectors = null;
            try
            {
                vectors =
                    new VectorTable(KernelRowFormat.Of(points), points.Count, space.Memory, new KeptRows(points.Count, levels.FarTargets));
                Fill(records, vectors, map, layout, paths, space, cancellationToken);
                return new LeafOrder(vectors, records, null);
            }
            catch
            {
                records.Dispose();
                vectors?.Dispose();
                throw;
            }
        }
        finally
        {
            paths.Delete(space.Memory.Io);
        }
    }

    private static ShuffledLayout Shuffle(
        PointTable points, LeafMap map, BuildSpace space, long shuffleBytes, ShufflePaths paths, CancellationToken cancellationToken)
    {
        uint[] leafOf = new uint[points.Count];
        for (int leaf = 0; leaf < map.Count; leaf++)
        {
            foreach (int point in map.Points.AsSpan(map.Offsets[leaf]..map.Offsets[leaf + 1]))
                leafOf[point] = (uint)leaf;
        }

        using var shuffler =
            new PartitionShuffler(new ShuffleOptions(points.RowBytes, map.Count, shuffleBytes, points.Count), paths, space.Memory.Io);
        using PageLease lease = space.Memory.Rent();
        int together = PagedMemory.RowsTogether(points.RowBytes);
        for (int first = 0; first < points.Count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(together, points.Count - first);
            lease.Begin();
            points.Ask(lease, first, count);
            lease.Fetch();
            for (int row = first; row < first + count; row++)
                shuffler.Add(points.Record(row), leafOf.AsSpan(row, 1));
            points.Retire(lease, first, count);
        }

        return shuffler.Complete();
    }

    private static unsafe void Fill(
        PointTable records, VectorTable vectors, LeafMap map, ShuffledLayout layout, ShufflePaths paths, BuildSpace space,
        CancellationToken cancellationToken)
    {
        using var partitions = new ShuffledPartitions(
            layout, paths, space.Memory.Device, space.Memory.Io, space.Memory.Logger, deletes: false, space.Memory.OpenDevice);
        using PageLease lease = space.Memory.Rent();
        for (int leaf = 0; leaf < map.Count;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int end = partitions.WindowEnd(leaf, PagedMemory.BytesTogether / 4);
            int first = map.Offsets[leaf];
            int count = map.Offsets[end] - first;
            lease.Begin();
            records.Ask(lease, first, count);
            vectors.Ask(lease, first, count);
            lease.Fetch();
            Span<byte> rows = records.Records(first, count);
            fixed (byte* destination = rows)
                partitions.Read(leaf, end, destination, rows.Length);
            for (int row = first; row < first + count; row++)
                vectors.Load(row, records, row);
            records.Retire(lease, first, count);
            leaf = end;
        }
    }
}
