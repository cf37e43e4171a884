using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.Paging;

/// <summary>The scratch files of a build under a memory budget: how large they are at most, and what the phases read and write of them, about.</summary>
/// <remarks>
/// What is read and written was fitted to builds of a million SIFT descriptors (128 bytes, degree 64) within 112 to 384 MiB and of 200,000 within 76; right to within a half there, and a guess elsewhere:
/// clusters that lie apart read a fifth in refinement (a million vectors of 64 bytes within 92 MiB). A phase that goes over tables row by row reads what did not fit into memory once; one that searches reads a
/// block for every row that it meets and does not find there. Rows that are met together lie together, so that half the memory costs little, and a tenth very much: what is missing counts with the power of
/// <c>Steepness</c>.
/// </remarks>
internal sealed class ScratchPlan
{
    // Looking at all points again: twice for the entry point, once for a sample, once for the leaves, once for the shuffle.
    private const int PartitionScans = 5;

    // Blocks read a row if no block were in memory, as the fit has them.
    private const double LeafBlocks = 0.24;
    private const double MergeBlocks = 0.4;
    private const double FullMergeBlocks = 1.7;
    private const double RefineBlocks = 7.8;
    private const double Steepness = 4;

    // Of those for each point that repair searches for.
    private const double RepairBlocks = 38;

    // Points of a leaf that is split lie all over the file; nodes are written page by page.
    private const double SplitBlocks = 0.8;
    private const double WriteBlocks = 1.3;

    // Pages are filled from all over the graph, and every search of the check goes through all of it: the share that is missing counts as it is.
    private const double PackBlocks = 2;
    private const double CheckBlocks = 8;

    // Of the memory, what holds rows that have to be written yet while others are read: all of it as long as nothing else is read.
    private const double ChangedShare = 0.25;

    // Leaves that drew far more points than others are split.
    private const int MostLeaves = 2;

    // Tables: records twice over, vectors, links, nearest points; each ends in a block.
    private const int MostTables = 6;

    // Which of the phases refines.
    private const int RefinePhase = 5;

    private readonly MemoryPlan _plan;
    private readonly BuildShape _shape;
    private readonly long _count;
    private readonly long _checked;
    private long _made;
    private long _written;

    /// <param name="plan">The memory of the build.</param>
    /// <param name="shape">What is built.</param>
    public ScratchPlan(MemoryPlan plan, BuildShape shape)
    {
        _plan = plan;
        _shape = shape;
        _count = shape.Count;
        _checked = Math.Min(shape.Count, shape.Partitioned.CheckedPoints);
    }

    /// <summary>Most bytes of scratch files at a time; 0 without a budget.</summary>
    public long MostBytes
    {
        get
        {
            if (_plan.Budget is null)
                return 0;
            long leaves = (_count - 1) / _shape.Partitioned.LeafSize + 1;
            long shuffledRecords = ShuffledBytes(_shape.RecordBytes, _count, MostLeaves * leaves);
            long shuffledInLinks = ShuffledBytes(ShuffledInLinks.LinkBytes, _count * _shape.MaxDegree, (_count - 1) / ShuffledInLinks.RangeRows + 1);
            long graph = Math.Max(_plan.TableBytes(BuildStage.Shuffle) + shuffledRecords, _plan.TableBytes(BuildStage.Merge) + shuffledInLinks);
            return Math.Max(graph, Merged?.MostBytes ?? 0) + MostTables * PagedMemory.BlockBytes;
        }
    }

    /// <summary>Bytes of all phases from "read" to "write", in order; zeros without a budget.</summary>
    public (long Read, long Written)[] Phases()
    {
        if (_plan.Budget is null)
            return new (long, long)[12];
        long records = _plan.RecordBytes;
        long graph = _plan.VectorBytes + _plan.LinkBytes;
        long links = _plan.LinkBytes;
        long inLinks = _count * _shape.MaxDegree * ShuffledInLinks.LinkBytes;
        long shuffling = 2 * Scan(BuildStage.Merge, links) + inLinks;
        long searched = SearchRepair.FirstSearched(_count, _shape.Partitioned.RepairRate);
        return
        [
            (0, Made(BuildStage.Read, records, 1)),
            (Scan(BuildStage.Train, records), 0),
            (PartitionScans * Scan(BuildStage.Partition, records) + Blocks(SplitBlocks * _count * Missing(BuildStage.Partition, records)) + records, records + Made(BuildStage.Shuffle, _plan.VectorBytes, 1)),
            (Missed(BuildStage.Leaves, graph, LeafBlocks), Made(BuildStage.Leaves, links, 1)),
            (shuffling + Scan(BuildStage.Merge, graph) + Missed(BuildStage.Merge, graph, MergeBlocks), inLinks + Made(BuildStage.Merge, links, ChangedShare)),
            (Scan(BuildStage.Refine, graph) + Missed(BuildStage.Refine, graph, RefineBlocks), Made(BuildStage.Refine, links, ChangedShare)),
            (shuffling + Scan(BuildStage.Merge, graph) + Missed(BuildStage.Merge, graph, FullMergeBlocks), inLinks + Made(BuildStage.Merge, links, ChangedShare)),
            (Missed(BuildStage.Merge, graph, RepairBlocks * searched / _count), 0),
            (Scan(BuildStage.Finish, links), 0),
            (Blocks(CheckBlocks * _checked * Missing(BuildStage.Finish, graph)), 0),
            (Scan(BuildStage.Pack, links) + Blocks(PackBlocks * _count * Missing(BuildStage.Pack, links)), 0),
            (Scan(BuildStage.Write, records + links) + Blocks(WriteBlocks * _count * Math.Pow(Missing(BuildStage.Write, records + links), 2)), 0),
        ];
    }

    /// <summary>Bytes of all phases of the merged layout from "read" to "calibrate", in order; zeros without a budget.</summary>
    public (long Read, long Written)[] MergedPhases()
    {
        (long Read, long Written)[] phases = Phases();
        if (Merged is not { } merged)
            return [.. phases, (0, 0)];
        phases[RefinePhase].Written += merged.Refine.Written;
        return [.. phases[..^2], merged.Pack, merged.Write, (0, 0)];
    }

    private MergedScratch? Merged => _plan.Budget is not null && _shape.Merged is { } needs ? new MergedScratch(_plan, _shape, needs) : null;

    private long ShuffledBytes(int rowBytes, long rows, long partitions) => new ShuffleOptions(rowBytes, (int)partitions, _plan.ShuffleBytes, rows).ExpectedFileBytes;

    private static long Blocks(double blocks) => (long)(blocks * PagedMemory.BlockBytes);

    // What does not fit of the tables, as far as it is asked for.
    private long Scan(BuildStage stage, long bytes) => Math.Min(bytes, Excess(stage));

    private long Missed(BuildStage stage, long bytes, double blocksPerRow) => Blocks(blocksPerRow * _count * Math.Pow(Missing(stage, bytes), Steepness));

    private double Missing(BuildStage stage, long bytes) => Math.Max(0, 1 - (double)_plan.PagedBytes(stage) / bytes);

    // What was made up to now has been written but for what is in memory.
    private long Made(BuildStage stage, long bytes, double share)
    {
        _made += bytes;
        long before = _written;
        if (Excess(stage) > 0)
            _written = Math.Max(_written, _made - (long)(share * _plan.PagedBytes(stage)));
        return _written - before;
    }

    private long Excess(BuildStage stage) => Math.Max(0, _plan.TableBytes(stage) - _plan.PagedBytes(stage));
}
