namespace VectorPipe.Pipeline.Streams;

/// <summary>What came of asking a stream for the next buffer.</summary>
internal enum ReadStatus
{
    /// <summary>A buffer, the next in order.</summary>
    Buffer,

    /// <summary>The next one has not landed yet, or there was no op free to read it: ask again after a drain.</summary>
    NotReady,

    /// <summary>The source has yielded and nothing is buffered: ask again.</summary>
    Yielded,

    /// <summary>The stream is paused and nothing is buffered any more.</summary>
    Paused,

    /// <summary>The source has ended and everything was handed out.</summary>
    End,
}
