using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Requests;

/// <summary>The look-up of one key: the question, and the answer.</summary>
internal sealed class LookupRequest(IRequestCompletion completion) : PendingRequest(completion)
{
    /// <summary>Most bytes of a vector for which an idle request keeps room.</summary>
    public const int MostVectorBytesKept = 1 << 16;

    /// <summary>Most links for which an idle request keeps room.</summary>
    public const int MostLinksKept = 1 << 14;

    private byte[] _vector = [];
    private uint[] _links = [];
    private int _vectorBytes;
    private int _linkCount;

    public override RequestKind Kind => RequestKind.Lookup;

    public ulong Key { get; private set; }

    public bool WithLinks { get; private set; }

    /// <summary>Whether the vector is wanted, as it is unless someone says no; without it the look-up ends at the key directory.</summary>
    public bool WithVector { get; set; } = true;

    /// <summary>Whether the index holds the key; valid after completion, as is the rest of the answer.</summary>
    public bool Found { get; private set; }

    public uint NodeId { get; private set; }

    /// <summary>What checkpoints changed of the graph; null for nothing.</summary>
    public GraphChanges? Changes { get; set; }

    /// <summary>Whether a newer checkpoint has moved or deleted the node since: ask again by that one's changes.</summary>
    public bool IsStale { get; private set; }

    /// <summary>The original vector; if the index has dropped it, the rounded one in the original type.</summary>
    public ReadOnlySpan<byte> Vector => _vector.AsSpan(0, _vectorBytes);

    /// <summary>Internal ids of the node's links; empty unless they were wanted.</summary>
    public ReadOnlySpan<uint> Links => _links.AsSpan(0, _linkCount);

    public int Reads { get; private set; }

    public void Ask(ulong key, bool withLinks, long acceptedAt, CancellationToken cancellationToken)
    {
        Begin(acceptedAt, cancellationToken);
        Key = key;
        WithLinks = withLinks;
        WithVector = true;
        Found = IsStale = false;
        NodeId = 0;
        Reads = _vectorBytes = _linkCount = 0;
    }

    /// <summary>Notes the key's node, and returns room for its vector.</summary>
    public Span<byte> Take(uint nodeId, int vectorBytes)
    {
        if (_vector.Length < vectorBytes)
            _vector = new byte[vectorBytes];
        _vectorBytes = vectorBytes;
        NodeId = nodeId;
        Found = true;
        return _vector.AsSpan(0, vectorBytes);
    }

    /// <summary>Copies the node's links. False if they are damaged.</summary>
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

    /// <summary>Forgets the node: it was deleted.</summary>
    public void Forget()
    {
        Found = false;
        NodeId = 0;
        _vectorBytes = _linkCount = 0;
    }

    /// <summary>Notes that the node is not where a newer checkpoint has put it.</summary>
    public void Outdate()
    {
        Forget();
        IsStale = true;
    }

    /// <summary>Ends with the node, or, without one, with the answer that there is no such key.</summary>
    public void Answer(int reads)
    {
        Reads = reads;
        Complete();
    }

    public override void Clear()
    {
        base.Clear();
        Forget();
        Changes = null;
        if (_vector.Length > MostVectorBytesKept)
            _vector = [];
        if (_links.Length > MostLinksKept)
            _links = [];
    }
}
