using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>The scratch files of the merged layout: how large they are at most, and what its phases read and write of them, about.</summary>
/// <remarks>All of it goes through rows in the order of leaves or of pages, which is nearly the same: what does not fit into memory is read once for each time that it is gone through.</remarks>
internal sealed class MergedScratch
{
    // Most nodes know, or are known to, as many pages as they may apply to.
    private const double KnownShare = 0.9;

    // Pages are made of rows of other pages too: replicas, and the nearest rows of applicants.
    private const double ComposeReads = 1.5;

    private readonly MemoryPlan _plan;
    private readonly BuildShape _shape;
    private readonly MergedNeeds _needs;
    private readonly long _nearest;

    /// <param name="plan">The memory of the build, under a budget.</param>
    /// <param name="shape">What is built.</param>
    /// <param name="needs">What the merged layout needs of it.</param>
    public MergedScratch(MemoryPlan plan, BuildShape shape, MergedNeeds needs)
    {
        _plan = plan;
        _shape = shape;
        _needs = needs;
        _nearest = shape.Count * MergedNeeds.NearestBytes;
    }

    /// <summary>Most bytes of scratch files while pages are written.</summary>
    public long MostBytes
    {
        get
        {
            int pagesOfPartition = Math.Max(1, ShuffledApplications.PartitionNodes / _needs.Shape.Owned);
            long applications = Shuffled(MostApplications, ShuffledApplication.Bytes, pagesOfPartition * _needs.Shape.Owned);
            return _plan.TableBytes(BuildStage.Write) + applications + Shuffled(Ties, ShuffledTie.Bytes, ShuffledTies.PartitionNodes);
        }
    }

    /// <summary>What refining reads and writes of the table of nearest points.</summary>
    public (long Read, long Written) Refine => (0, Part(BuildStage.Refine, _nearest));

    /// <summary>What packing reads.</summary>
    public (long Read, long Written) Pack => (Part(BuildStage.Pack, _nearest), 0);

    /// <summary>What writing reads and writes: links for the hash; links and nearest points for the ties, and again for the ranks; then all that pages are made of.</summary>
    public (long Read, long Written) Write
    {
        get
        {
            long applications = (long)(KnownShare * MostApplications) * ShuffledApplication.Bytes;
            long rows = _plan.RecordBytes + _plan.LinkBytes + _nearest;
            long shuffled = applications + Ties * ShuffledTie.Bytes;
            return (Part(BuildStage.Write, 3 * _plan.LinkBytes + 2 * _nearest + (long)(ComposeReads * rows)) + shuffled, shuffled);
        }
    }

    // To a page once.
    private long MostApplications => _shape.Count * Math.Min(_needs.ApplicationsOfNode, (_shape.Count - 1) / _needs.Shape.Owned + 1);

    private long Ties => _shape.Count * (_shape.MaxDegree + AffinityRanker.Neighbours);

    // The rows, and where each partition ends in every group of them.
    private long Shuffled(long rows, int rowBytes, long nodesOfPartition)
    {
        long partitions = (_shape.Count - 1) / nodesOfPartition + 1;
        long groups = (rows - 1) / new ShuffleOptions(rowBytes, 1, Math.Max(1, _plan.Applications.ShuffleBytes)).RowsPerGroup + 1;
        return ScratchFormat.FileLength(rows * rowBytes) + ScratchFormat.FileLength(groups * partitions * sizeof(long));
    }

    // Only as much as memory does not hold.
    private long Part(BuildStage stage, long bytes)
    {
        long tables = _plan.TableBytes(stage);
        return (long)(bytes * Math.Max(0, 1 - (double)_plan.PagedBytes(stage) / tables));
    }
}
