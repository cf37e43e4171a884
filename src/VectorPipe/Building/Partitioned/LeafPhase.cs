namespace VectorPipe.Building.Partitioned;

/// <summary>
/// The first links: each point chooses among its nearest points out of the leaves around its own, and among thinner and thinner samples farther
/// out. The candidates of a point are complete in one place, so nothing is merged and no order of work matters.
/// </summary>
internal sealed class LeafPhase
{
    private readonly BuildContext _context;
    private readonly CopyRings _copies;

    /// <param name="context">The build.</param>
    public LeafPhase(BuildContext context)
    {
        _context = context;
        _copies = new CopyRings(context.Count);
        WorkQueue.Run(
            context.Parameters.Threads,
            context.Map.Count,
            context.Rent,
            (lease, leaf) =>
            {
                int first = context.Map.Offsets[leaf];
                lease.Begin();
                context.Table.Ask(lease, first, context.Map.Size(leaf));
                lease.Fetch();
                _copies.Enter(context.Vectors, first, context.Map.Offsets[leaf + 1]);
            },
            context.CancellationToken);
    }

    /// <summary>Fills the links of all points.</summary>
    /// <param name="links">Receives them.</param>
    public void Run(LinkTable links)
    {
        var meter = new ProgressMeter(_context.Progress, "leaves", _context.Count);
        WorkQueue.Run(
            _context.Parameters.Threads,
            _context.Map.Count,
            () => new LeafWorker(_context, _context.Levels, _copies, links),
            (worker, leaf) =>
            {
                worker.Run(leaf);
                meter.Advance(_context.Map.Size(leaf));
            },
            _context.CancellationToken);
        meter.Complete();
    }
}
