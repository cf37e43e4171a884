using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>The reply of VSIM in the form that its options and the version of the protocol ask for.</summary>
internal readonly struct SimilarityReply(RespWriter reply, bool withScores, bool withAttributes)
{
    private readonly bool _isMap = reply.Version == 3 && (withScores || withAttributes);

    /// <summary>Begins a reply of so many hits.</summary>
    public void Begin(int count)
    {
        if (_isMap)
            reply.Map(count);
        else
            reply.Array(count * (1 + (withScores ? 1 : 0) + (withAttributes ? 1 : 0)));
    }

    /// <summary>Writes what follows the name of a hit.</summary>
    /// <param name="score">Its score.</param>
    /// <param name="attributes">Its attributes; empty for none.</param>
    public void EndHit(double score, ReadOnlySpan<byte> attributes)
    {
        if (_isMap && withScores && withAttributes)
            reply.Array(2);
        if (withScores)
            reply.Double(score);
        if (!withAttributes)
            return;
        if (attributes.IsEmpty)
            reply.Null();
        else
            reply.Bulk(attributes);
    }
}
