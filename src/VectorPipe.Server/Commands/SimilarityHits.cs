using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>The hits of a search, nearest first: in its buffer, or in a list of their own.</summary>
internal readonly struct SimilarityHits
{
    private readonly CollectionHitBuffer<string>? _buffer;
    private readonly List<int>? _places;
    private readonly IReadOnlyList<CollectionHit<string>> _list;

    /// <summary>Hits in a buffer, valid until its next search.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="places">Those of its hits that count; null for all.</param>
    public SimilarityHits(CollectionHitBuffer<string> buffer, List<int>? places = null)
    {
        _buffer = buffer;
        _places = places;
        _list = [];
        Count = places?.Count ?? buffer.Count;
    }

    /// <summary>Hits of a list.</summary>
    public SimilarityHits(IReadOnlyList<CollectionHit<string>> list)
    {
        _list = list;
        Count = list.Count;
    }

    public int Count { get; }

    public float ScoreOf(int index) => _buffer?.ScoreOf(PlaceOf(index)) ?? _list[index].Score;

    /// <summary>Attributes; empty for none, and where they were not asked for.</summary>
    public ReadOnlySpan<byte> AttributesOf(int index) => _buffer is null ? _list[index].Payload.Span : _buffer.PayloadOf(PlaceOf(index));

    public void WriteName(RespWriter reply, int index)
    {
        if (_buffer is null)
            reply.Bulk(_list[index].Key);
        else
            reply.Bulk(_buffer.Utf8KeyOf(PlaceOf(index)));
    }

    private int PlaceOf(int index) => _places?[index] ?? index;
}
