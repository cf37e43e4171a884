using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Clusters;

/// <summary>The vectors of a build in leaf order, in the form of the kernels, and the records that they come from.</summary>
/// <remarks>Owns both; freed by <see cref="Dispose"/>.</remarks>
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

    /// <summary>Brings points into leaf order, through scratch files if there is a space; owns the points once it has succeeded.</summary>
    public static LeafOrder Of(
        PointTable points, LeafMap map, SampleLevels levels, BuildSpace? space, long shuffleBytes, int threads,
        CancellationToken cancellationToken) =>
        space is null
        ? InMemory(points, map, threads, cancellationToken)
        : Paged(points, map, levels, space, shuffleBytes, cancellationToken);

    /// <summary>Shuffles records by their leaf.</summary>
    public static ShuffledLayout Shuffle(
        PointTable points, LeafMap map, PagedMemory? paging, long shuffleBytes, ShufflePaths paths, IStorageIo io, ShuffleTraffic traffic,
        Action<long>? onRows, CancellationToken cancellationToken)
    {
        uint[] leafOf = map.LeafOfPoints();
        var options = new ShuffleOptions(points.RowBytes, map.Count, shuffleBytes, points.Count);
        using var shuffler = new PartitionShuffler(options, paths, io, traffic);
        using PageLease lease = PageLease.Rent(paging);
        foreach ((int first, int count) in points.Batches(lease, cancellationToken))
        {
            shuffler.Add(points.Stretch(first, count), leafOf.AsSpan(first, count));
            points.Retire(lease, first, count);
            onRows?.Invoke(first + count);
        }

        return shuffler.Complete();
    }

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
            Workers.Run(
                threads,
                map.Count,
                (_, leaves) =>
                {
                    while (leaves.TryTake(out int leaf))
                    {
                        for (int position = map.Offsets[leaf]; position < map.Offsets[leaf + 1]; position++)
                            vectors.Load(position, points, map.Points[position]);
                    }
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
        ShuffledLayout layout =
            Shuffle(points, map, space.Memory, shuffleBytes, paths, space.Memory.Io, space.Shuffles, onRows: null, cancellationToken);
        PointTable? records = null;
        VectorTable? vectors = null;
        try
        {
            // Free the disk and the memory that the new tables need.
            points.Dispose();
            records = new PointTable(points.Metric, points.Type, points.Dimension, points.Count, space.Memory, "records")
            {
                LargestSquaredNorm = points.LargestSquaredNorm,
            };
            vectors =
                new VectorTable(KernelRowFormat.Of(points), points.Count, space.Memory, new KeptRows(points.Count, levels.FarTargets));
            Fill(records, vectors, map, layout, paths, space, shuffleBytes, cancellationToken);
            return new LeafOrder(vectors, records, null);
        }
        catch
        {
            records?.Dispose();
            vectors?.Dispose();
            throw;
        }
        finally
        {
            paths.Delete(space.Memory.Io);
        }
    }

    // The memory of the shuffle, which has ended, takes the rows that are read together: each window reads a range of each of its groups.
    private static void Fill(
        PointTable records, VectorTable vectors, LeafMap map, ShuffledLayout layout, ShufflePaths paths, BuildSpace space,
        long windowBytes, CancellationToken cancellationToken)
    {
        using ShuffledPartitions partitions = space.OpenShuffle(layout, paths);
        using PageLease lease = space.Memory.Rent();
        int together = Math.Max(1, PagedMemory.BytesTogether / 4 / records.RowBytes);
        for (int leaf = 0; leaf < map.Count;)
        {
            int end = partitions.WindowEnd(leaf, windowBytes);
            ReadOnlySpan<byte> rows = partitions.Window<byte>(leaf, end);
            int first = map.Offsets[leaf];
            for (int from = first; from < map.Offsets[end]; from += together)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int count = Math.Min(together, map.Offsets[end] - from);
                lease.Begin();
                records.Ask(lease, from, count);
                vectors.Ask(lease, from, count);
                lease.Fetch();
                rows.Slice((from - first) * records.RowBytes, count * records.RowBytes).CopyTo(records.StretchToWrite(from, count));
                for (int row = from; row < from + count; row++)
                    vectors.Load(row, records, row);
                records.Retire(lease, from, count);
            }

            leaf = end;
        }
    }
}
