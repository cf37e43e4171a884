using System.Diagnostics;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Serving;

/// <summary>A look-up slot of a session: leads one op along the bucket's chain to the vector, and to the node if it is needed.</summary>
/// <remarks>
/// Only the run thread touches it. Each step is a turn of the session's loop, so long chains do not recurse, and the op stays counted from
/// the first page to the last. A circular chain fails at its first wrong step, since every page states its place in its chain.
/// </remarks>
internal sealed unsafe class KeyLookup(SearchIndex index, KeyLookups lookups) : IPendingIoOwner
{
    private LookupRequest? _request;
    private NodeKeys? _keys;
    private long _ticket;
    private long _bucket;
    private int _depth;
    private uint _nodeId;
    private FileRole _at;
    private int _reads;

    public bool IsActive => _request is not null;

    /// <summary>Begins a look-up and issues its first read, with an op free; it ends at once if the device refuses.</summary>
    public void Start(LookupRequest request, PendingIoSession session)
    {
        Debug.Assert(_request is null, "one look-up a slot");
        _request = request;
        _at = FileRole.Keys;
        _depth = _reads = 0;
        NodeKeys keys = _keys = index.Keys;
        if (keys.Moved.Count > 0 && keys.Moved.TryFind(request.Key, out uint? id))
        {
            StartAtNode(request, id, session);
            return;
        }

        _bucket = keys.Directory.Shape.BucketOf(request.Key);
        long page = KeyDirectoryShape.FirstPage(_bucket);
        try
        {
            long offset = index.BucketOffset(keys.Directory, page);
            if (!session.TryIssue(SearchIndex.KeysFile, offset, PageCodec.PageUnit, this, _ticket, page))
                End(new DeviceException($"{index.KeysPath}, page {page}: the device queue refused a read. {session.DescribeInFlight()}"));
        }
        catch (DeviceException e)
        {
            End(e);
        }
    }

    // The key directory knows neither nodes that were added nor keys that were deleted since it was written.
    private void StartAtNode(LookupRequest request, uint? id, PendingIoSession session)
    {
        if (id is null || !request.WithVector)
        {
            if (id is not null)
                request.Take(id.Value, 0);
            Answer(request);
            return;
        }

        _nodeId = id.Value;
        _at = FileRole.Nodes;
        uint page = _nodeId / (uint)index.Layout.NodesPerPage;
        if (request.Changes is null || !IsInView(request))
        {
            request.Outdate();
            Answer(request);
            return;
        }

        try
        {
            if (!session.TryIssue(
                SearchIndex.NodesFile, index.PageOffset(page, request.Changes), index.Layout.PageSize, this, _ticket, page))
                End(new DeviceException($"{index.NodePath}: the device queue refused a read. {session.DescribeInFlight()}"));
        }
        catch (DeviceException e)
        {
            End(e);
        }
    }

    /// <summary>Ends the look-up if it was cancelled; its read is dropped when it lands.</summary>
    public void EndIfCancelled()
    {
        if (_request is { } request && request.CancellationToken.IsCancellationRequested)
            End(new OperationCanceledException(request.CancellationToken));
    }

    /// <summary>Ends the look-up with an error if it is active; its read is dropped when it lands.</summary>
    public void Abort(Exception error)
    {
        if (_request is not null)
            End(error);
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        // The ticket tells whether the look-up that issued this read is over; the slot may serve another one.
        if (op.Ticket != _ticket || _request is not { } request)
            return PendingIoOutcome.Done;
        _reads++;
        if (request.CancellationToken.IsCancellationRequested)
        {
            End(new OperationCanceledException(request.CancellationToken));
            return PendingIoOutcome.Done;
        }

        try
        {
            return _at switch
            {
                FileRole.Keys => FollowChain(op, request),
                FileRole.Vectors => ReadVector(op, request),
                _ => ReadNode(op, request),
            };
        }
        catch (IndexCorruptException e)
        {
            End(e);
            return PendingIoOutcome.Done;
        }
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        if (op.Ticket != _ticket || _request is null)
            return;
        (string path, long page) = _at switch
        {
            FileRole.Keys => (index.KeysPath, op.Tag),
            FileRole.Vectors => (index.VectorsPath!, op.Tag),
            _ => (index.NodePath, op.Tag + 1),
        };
        End(new DeviceException($"{path}, page {page}: {error.Message}", error));
    }

    private PendingIoOutcome FollowChain(PendingIoContext op, LookupRequest request)
    {
        KeyRegion directory = _keys!.Directory;
        KeyBucketPage page = index.VerifyBucket(directory, op.Tag, op.Bytes, _bucket, _depth);
        if (page.TryFind(request.Key, out ulong value))
            return GoToVector(op, request, value);
        if (page.Next == 0)
        {
            Answer(request);
            return PendingIoOutcome.Done;
        }

        _depth++;
        op.Tag = page.Next;
        op.Redirect(SearchIndex.KeysFile, index.BucketOffset(directory, page.Next), PageCodec.PageUnit);
        return PendingIoOutcome.Reissue;
    }

    private PendingIoOutcome GoToVector(PendingIoContext op, LookupRequest request, ulong value)
    {
        if ((value & KeyBucketPage.TombstoneBit) != 0)
        {
            Answer(request);
            return PendingIoOutcome.Done;
        }

        if (!_keys!.IsBuilt)
            value &= ~KeyBucketPage.ChangedBit;
        if (value >= _keys.NodeCount)
            throw new IndexCorruptException(
                index.KeysPath, op.Tag, $"expected key {request.Key} to lead to a node below {_keys.NodeCount}, found {value}");
        _nodeId = (uint)value;
        if (!request.WithVector)
        {
            request.Take(_nodeId, 0);
            Answer(request);
            return PendingIoOutcome.Done;
        }

        if (!IsInView(request))
        {
            request.Outdate();
            Answer(request);
            return PendingIoOutcome.Done;
        }

        if (index.Vectors is not { } vectors)
            return GoToNode(op, request);
        _at = FileRole.Vectors;
        op.Tag = vectors.PageOf(index.Schema.PositionOf(_nodeId));
        op.Redirect(index.VectorsFile, op.Tag * vectors.PageSize, vectors.PageSize);
        return PendingIoOutcome.Reissue;
    }

    // The original vector has a file of its own: the node's page is read for the links alone, if they are wanted.
    private PendingIoOutcome ReadVector(PendingIoContext op, LookupRequest request)
    {
        OriginalVectorPage page = index.VerifyVectors(op.Tag, op.Bytes);
        int slot = index.Vectors!.SlotOf(index.Schema.PositionOf(_nodeId));
        if (page.Key(slot) != request.Key)
            throw new IndexCorruptException(
                index.VectorsPath!, op.Tag,
                $"expected key {request.Key} in slot {slot}, as the key directory states, found key {page.Key(slot)}");
        ReadOnlySpan<byte> vector = page.Vector(slot);
        vector.CopyTo(request.Take(_nodeId, vector.Length));
        if (request.WithLinks)
            return GoToNode(op, request);
        Answer(request);
        return PendingIoOutcome.Done;
    }

    private PendingIoOutcome GoToNode(PendingIoContext op, LookupRequest request)
    {
        _at = FileRole.Nodes;
        uint page = _nodeId / (uint)index.Layout.NodesPerPage;

        // The chain's page has served, so its buffer is free.
        byte* cached = index.Cache is { } cache ? cache.Find(PlaceOf(page, request), op.Pointer) : null;
        if (cached is not null)
        {
            TakeNode(request, page, cached);
            return PendingIoOutcome.Done;
        }

        op.Tag = page;
        op.Redirect(SearchIndex.NodesFile, index.PageOffset(page, request.Changes), index.Layout.PageSize);
        return PendingIoOutcome.Reissue;
    }

    private PendingIoOutcome ReadNode(PendingIoContext op, LookupRequest request)
    {
        uint page = (uint)op.Tag;
        index.Verify(page, op.Pointer, request.Changes);
        index.Cache?.Offer(PlaceOf(page, request), op.Pointer);
        TakeNode(request, page, op.Pointer);
        return PendingIoOutcome.Done;
    }

    private void TakeNode(LookupRequest request, uint number, byte* bytes)
    {
        var page = new NodePage(bytes, index.Layout);
        int slot = (int)(_nodeId - number * (uint)index.Layout.NodesPerPage);
        bool isThere = slot < page.Count && page.Key(slot) == request.Key;
        if (request.Changes is { } changes ? !isThere || !changes.IsLive(_nodeId) : !isThere && !_keys!.IsBuilt)
        {
            request.Outdate();
            Answer(request);
            return;
        }

        if (slot >= page.Count || page.State(slot) == NodeState.Free)
            throw Defect($"expected the node of key {request.Key} in slot {slot}, found {page.Count} slots in use");
        if (page.Key(slot) != request.Key)
            throw Defect($"expected key {request.Key} in slot {slot}, as the key directory states, found key {page.Key(slot)}");

        // Copy while the slot holds the request: if an allocation fails, the look-up is not lost with the exception.
        if (page.State(slot) == NodeState.Tombstone)
        {
            request.Forget();
        }
        else
        {
            // A node that was added since the build has its original vector elsewhere, or nowhere.
            if (!request.Found)
                VectorConversion.Convert(
                    index.Layout.ElementType, page.Vector(slot), index.Schema.ElementType,
                    request.Take(_nodeId, index.Schema.VectorBytes));
            uint nodes = request.Changes?.NodeCount ?? index.NodeCount;
            if (request.WithLinks && !request.TakeLinks(page, slot, nodes))
                throw Defect($"expected a list of links below {nodes} in slot {slot}, found other bytes or higher links");
        }

        Answer(request);

        IndexCorruptException Defect(string defect) => new(index.NodePath, number + 1L, defect);
    }

    // A view of before a checkpoint does not have the pages that it added.
    private bool IsInView(LookupRequest request)
    {
        uint nodes = request.Changes?.NodeCount ?? index.NodeCount, page = _nodeId / (uint)index.Layout.NodesPerPage;
        return _nodeId < nodes && (request.Changes is null || request.Changes.Writers[page] != 0);
    }

    private static uint PlaceOf(uint page, LookupRequest request) => request.Changes is null ? page : request.Changes.Places[page];

    private void Answer(LookupRequest request)
    {
        int reads = _reads;
        Release();
        request.Answer(reads);
    }

    private void End(Exception error)
    {
        LookupRequest request = _request!;
        Release();
        request.Fail(error);
    }

    /// <summary>Frees the slot; a read still in flight carries the old ticket.</summary>
    private void Release()
    {
        _ticket++;
        _request = null;
        _keys = null;
        lookups.Release(this);
    }
}
