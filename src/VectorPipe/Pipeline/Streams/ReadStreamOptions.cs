using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline.Streams;

/// <summary>Limits of a read stream; fixed when it is created.</summary>
internal sealed record ReadStreamOptions
{
    /// <summary>
    /// The most reads ahead of the consumer; 0 reads a range only when it is asked for. The stream holds one op more, whose ranges the
    /// consumer is taking; its memory is that many buffers of the session.
    /// </summary>
    public int MaxReads { get; init; } = 16;

    /// <summary>The most adjacent ranges in one read, 1 to 1,024; never more bytes than a buffer of the session.</summary>
    public int CombineLimit { get; init; } = 16;

    /// <summary>Whether look-ahead starts with full reads: for a long sequence that is certainly wanted as a whole.</summary>
    public bool StartsFull { get; init; }

    /// <summary>
    /// Whether the ranges of a combined read that failed with an errno are read again one by one, so that only the unreadable ones fail:
    /// for a consumer that continues after errors.
    /// </summary>
    public bool ReadsFailedAlone { get; init; }

    /// <summary>The most ranges ahead of the consumer.</summary>
    public int MaxAhead => Math.Min((Math.Max(1, MaxReads) + 1) * CombineLimit, 32_767);

    public ReadStreamOptions Validated()
    {
        Require.That(MaxReads is >= 0 and <= 4096, nameof(MaxReads), MaxReads, "0 to 4,096");
        Require.That(CombineLimit is >= 1 and <= 1024, nameof(CombineLimit), CombineLimit, "1 to 1,024");
        return this;
    }
}
