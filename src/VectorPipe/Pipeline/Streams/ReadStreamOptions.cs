using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline.Streams;

/// <summary>Limits of a read stream; fixed when it is made.</summary>
internal sealed record ReadStreamOptions
{
    /// <summary>
    /// Most reads ahead of the consumer: issued, and not reached by it. 0: no look-ahead, a range is read when it is asked for. The stream
    /// holds one op more, whose
    /// ranges are being handed out; its memory is that many buffers of the session.
    /// </summary>
    public int MaxReads { get; init; } = 16;

    /// <summary>Most adjacent ranges in one read, 1 to 1,024; never more bytes than a buffer of the session.</summary>
    public int CombineLimit { get; init; } = 16;

    /// <summary>
    /// Whether the whole of a long sequence is sure to be wanted: the look-ahead then begins with full reads instead of growing to them.
    /// </summary>
    public bool StartsFull { get; init; }

    /// <summary>
    /// Whether ranges that were read together and failed with an errno are read again one by one, so that only those fail that cannot be
    /// read: for a consumer who goes on behind errors.
    /// </summary>
    public bool ReadsFailedAlone { get; init; }

    /// <summary>Most ranges that may be looked at ahead of the consumer.</summary>
    public int MaxAhead => Math.Min((Math.Max(1, MaxReads) + 1) * CombineLimit, 32_767);

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public ReadStreamOptions Validated()
    {
        Require.That(MaxReads is >= 0 and <= 4096, nameof(MaxReads), MaxReads, "0 to 4,096");
        Require.That(CombineLimit is >= 1 and <= 1024, nameof(CombineLimit), CombineLimit, "1 to 1,024");
        return this;
    }
}
