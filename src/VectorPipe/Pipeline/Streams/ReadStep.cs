namespace VectorPipe.Pipeline.Streams;

/// <summary>The answer of a source that is asked for the next range.</summary>
internal enum ReadStep
{
    /// <summary>A range follows.</summary>
    Read,

    /// <summary>No range follows until the stream is reset.</summary>
    End,

    /// <summary>No range follows until <see cref="ReadStream.Resume"/>. The look-ahead keeps its distance.</summary>
    Pause,

    /// <summary>The source has worked long enough: it returns control to the consumer, whose next call asks it again.</summary>
    Yield,
}
