using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Requests;

/// <summary>The look-up of one key on its way: the question, and what was found.</summary>
internal sealed class LookupRequest : PendingRequest
{
    /// <summary>Bytes of a vector for which a request that is not in use keeps room.</summary>
    public const int MostVectorBytesKept = 1 << 16;

    /// <summary>Links for which a request that is not in use keeps room.</summary>
    public const int MostLinksKept = 1 << 14;

    private byte[] _vector = [];
    private uint[] _links = [];
    private int _vectorBytes;
    private int _linkCount;

    /// <param name="completion">Receives the request when it has ended.</param>
    public LookupRequest(IRequestCompletion completion)
        : base(completion)
    {
    }

    /// <inheritdoc/>
    public override RequestKind Kind => RequestKind.Lookup;

    /// <summary>The key.</summary>
    public ulong Key { get; private set; }

    /// <summary>Whether the node's links are wanted.</summary>
    public bool WithLinks { get; private set; }

    /// <summary>Whether the index holds the key; valid after completion, like all that follows.</summary>
    public bool Found { get; private set; }

    /// <summary>Internal id of the key's node.</summary>
    public uint NodeId { get; private set; }

    /// <summary>
    /// The vector as it was given; if the index has dropped that form, the one that it holds, in the type that was given.
    /// </summary>
    public ReadOnlySpan<byte> Vector => _vector.AsSpan(0, _vectorBytes);

    /// <summary>Internal ids that the node links to; empty unless they were wanted.</summary>
    public ReadOnlySpan<uint> Links => _links.AsSpan(0, _linkCount);

    /// <summary>Pages read from the device.</summary>
    public int Reads { get; private set; }

    /// <summary>Fills in what is asked.</summary>
    public void Ask(ulong key, bool withLinks, long acceptedAt, CancellationToken cancellationToken)
    {
        Begin(acceptedAt, cancellationToken);
        Key = key;
        WithLinks = withLinks;
        Found = false;
        NodeId = 0;
        Reads = _vectorBytes = _linkCount = 0;
    }

    /// <summary>Takes note of the key's node.</summary>
    /// <param name="nodeId">Its internal id.</param>
    /// <param name="vectorBytes">Bytes of its vector as it was given.</param>
    /// <returns>Receives the vector, as it was given or as near to it as the index holds it.</returns>
    public Span<byte> Take(uint nodeId, int vectorBytes)
    {
        if (_vector.Length < vectorBytes)
            _vector = new byte[vectorBytes];
        _vectorBytes = vectorBytes;
        NodeId = nodeId;
        Found = true;
        return _vector.AsSpan(0, vectorBytes);
    }

    /// <summary>Takes the node's links over: its bytes are the caller's again when this returns.</summary>
    /// <returns>Whether the node's list is sound.</returns>
    public bool TakeLinks(NodePage page, int slot, uint nodes)
    {
        int count = page.LinkCount(slot);
        if (_links.Length < count)
            _links = new uint[count];
        if (!page.TryReadLinks(slot, nodes, _links))
            return false;
        _linkCount = count;
        return true;
    }

    /// <summary>Takes back what was taken: the node was deleted.</summary>
    public void Forget()
    {
        Found = false;
        NodeId = 0;
        _vectorBytes = _linkCount = 0;
    }

    /// <summary>Ends with what was taken, or with the answer that there is no such key.</summary>
    public void Answer(int reads)
    {
        Reads = reads;
        Complete();
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        base.Clear();
        Forget();
        if (_vector.Length > MostVectorBytesKept)
            _vector = [];
        if (_links.Length > MostLinksKept)
            _links = [];
    }
}
