namespace VectorPipe.Pipeline.Streams;

/// <summary>Decides what a <see cref="ReadStream"/> reads next.</summary>
/// <remarks>Called on the run thread, from within calls of the stream's consumer. It must not call the stream.</remarks>
internal interface IReadSource
{
    /// <summary>Names the next range. The stream calls this ahead of its consumer, up to its look-ahead distance.</summary>
    /// <param name="range">The range, if the result is <see cref="ReadStep.Read"/>.</param>
    /// <remarks>An exception ends the stream: the consumer receives it after the buffers of the ranges named before.</remarks>
    ReadStep Next(out ReadRange range);

    /// <summary>Throws if the bytes are damaged. Called once for every buffer, just before the consumer receives it.</summary>
    void Verify(in ReadBuffer buffer);

    /// <summary>A read was issued.</summary>
    /// <param name="state">State of the first of its ranges.</param>
    void OnIssued(long state)
    {
    }

    /// <summary>A read that is still wanted has landed.</summary>
    /// <param name="state">State of the first of its ranges.</param>
    void OnLanded(long state)
    {
    }

    /// <summary>Turns the failure of a read into the exception that the consumer receives: it names the file and the place.</summary>
    Exception Explain(in ReadRange range, Exception error);
}
