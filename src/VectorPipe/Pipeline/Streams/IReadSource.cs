namespace VectorPipe.Pipeline.Streams;

/// <summary>Knows what is read next: the iterator behind a <see cref="ReadStream"/>.</summary>
/// <remarks>Called on the run thread, from within calls of the stream's consumer. It must not call the stream.</remarks>
internal interface IReadSource
{
    /// <summary>Tells the next range. The stream asks ahead of its consumer, by as much as its distance is.</summary>
    /// <param name="range">The range, with <see cref="ReadStep.Read"/>.</param>
    /// <remarks>What it throws ends the stream: the consumer receives it behind the buffers that were asked for before.</remarks>
    ReadStep Next(out ReadRange range);

    /// <summary>
    /// Throws unless the bytes are what was asked for, unharmed. Called once a buffer, just before the consumer receives it.
    /// </summary>
    void Verify(in ReadBuffer buffer);

    /// <summary>Puts the failure of a read into words that name the file and the place.</summary>
    /// <param name="range">What could not be read.</param>
    /// <param name="error">Why.</param>
    /// <returns>What the consumer receives in place of the buffer.</returns>
    Exception Explain(in ReadRange range, Exception error);
}
