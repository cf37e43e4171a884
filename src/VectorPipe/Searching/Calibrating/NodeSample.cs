using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Calibrating;

/// <summary>A sample of an index's keys, evenly spread over its pages.</summary>
internal sealed unsafe class NodeSample(SearchIndex index, int count) : IPendingIoOwner
{
    private readonly ulong[] _keys = new ulong[count];
    private Exception? _error;

    /// <summary>Reads a number of keys.</summary>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static ulong[] Read(SearchSession session, SearchIndex index, int count, CancellationToken cancellationToken)
    {
        var sample = new NodeSample(index, count);
        PendingIoSession reads = session.Reads;
        for (int i = 0; i < count && sample._error is null; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            uint page = sample.IdOf(i) / (uint)index.Layout.NodesPerPage;
            while (!reads.TryIssue(SearchIndex.NodesFile, index.PageOffset(page), index.Layout.PageSize, sample, 0, i))
                reads.Drain(TimeSpan.FromMilliseconds(10));
        }

        while (reads.Pending > 0)
            reads.Drain(TimeSpan.FromMilliseconds(10));
        if (sample._error is not null)
            throw sample._error;
        return sample._keys;
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        uint id = IdOf((int)op.Tag);
        uint page = id / (uint)index.Layout.NodesPerPage;
        try
        {
            index.Verify(page, op.Pointer);
            var view = new NodePage(op.Pointer, index.Layout);
            int slot = (int)(id % (uint)index.Layout.NodesPerPage);

            // A page that is not full has no node for some ids.
            if (index.NodeCount > index.Schema.Count)
                slot %= Math.Max(1, view.Count);
            if (slot >= view.Count)
                throw new IndexCorruptException(
                    index.NodePath, page + 1L, $"expected a node in slot {slot}, found {view.Count} slots in use");
            _keys[(int)op.Tag] = view.Key(slot);
        }
        catch (IndexCorruptException e)
        {
            _error ??= e;
        }

        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"{index.NodePath}: reading a sample failed: {error.Message}", error);

    private uint IdOf(int i) => index.Schema.Merged is { } merged
        ? (uint)merged.IdOf((2L * i + 1) * index.Schema.Count / (2L * count))
        : (uint)((2L * i + 1) * index.NodeCount / (2L * count));
}
