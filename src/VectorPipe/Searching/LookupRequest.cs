using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>The look-up of one key on its way: what is asked, and what was found.</summary>
internal abstract class LookupRequest : PendingRequest
{
    private byte[] _vector = [];
    private uint[] _links = [];
    private int _vectorBytes;
    private int _linkCount;

    /// <summary>The key.</summary>
    public ulong Key { get; private set; }

    /// <summary>Whether the node's links are wanted.</summary>
    public bool WithLinks { get; private set; }

    /// <summary>Whether the index holds the key; valid after completion, like all that follows.</summary>
    public bool Found { get; private set; }

    /// <summary>Internal id of the key's node.</summary>
    public uint NodeId { get; private set; }

    /// <summary>The stored vector.</summary>
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

    /// <inheritdoc/>
    public override void Enter(SearchRunner runner) => runner.Lookups.Accept(this);

    /// <summary>Takes the node over: its bytes are the caller's again when this returns. <see cref="Answer"/> completes the look-up.</summary>
    /// <returns>Whether the node's list, if it was wanted, is sound.</returns>
    public bool Take(NodePage page, int slot, uint nodeId, uint nodes)
    {
        ReadOnlySpan<byte> vector = page.Vector(slot);
        if (_vector.Length < vector.Length)
            _vector = new byte[vector.Length];
        vector.CopyTo(_vector);
        _vectorBytes = vector.Length;
        if (WithLinks)
        {
            int count = page.LinkCount(slot);
            if (_links.Length < count)
                _links = new uint[count];
            if (!page.TryReadLinks(slot, nodes, _links))
                return false;
            _linkCount = count;
        }

        Found = true;
        NodeId = nodeId;
        return true;
    }

    /// <summary>Ends with what was taken, or with the answer that there is no such key.</summary>
    public void Answer(int reads)
    {
        Reads = reads;
        OnCompleted();
    }
}
