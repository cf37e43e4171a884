namespace VectorPipe.Pipeline.Streams;

/// <summary>What a source answers when it is asked for the next range.</summary>
internal enum ReadStep
{
    /// <summary>A range follows.</summary>
    Read,

    /// <summary>Nothing follows, now or later: the end, which holds until the stream is reset.</summary>
    End,

    /// <summary>
    /// Nothing follows for now: the source is not asked again before <see cref="ReadStream.Resume"/>. The look-ahead keeps its distance.
    /// </summary>
    Pause,

    /// <summary>
    /// The source has worked long enough: it is asked again with the next call of the consumer, who has control meanwhile.
    /// </summary>
    Yield,
}
