namespace VectorPipe.Pipeline.Streams;

/// <summary>The result of asking a stream for its next buffer.</summary>
internal enum ReadStatus
{
    /// <summary>A buffer, the next in order.</summary>
    Buffer,

    /// <summary>The next buffer has not landed yet, or no op was free to read it: ask again after a drain.</summary>
    NotReady,

    /// <summary>The source has yielded and nothing is buffered: ask again.</summary>
    Yielded,

    /// <summary>The stream is paused and nothing is buffered.</summary>
    Paused,

    /// <summary>The source has ended and every buffer was handed out.</summary>
    End,
}
