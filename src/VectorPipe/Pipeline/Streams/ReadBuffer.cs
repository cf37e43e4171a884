namespace VectorPipe.Pipeline.Streams;

/// <summary>The bytes of a range, verified. Valid until the next call of the stream.</summary>
/// <param name="Range">The range that the source named.</param>
/// <param name="Address">First byte.</param>
internal readonly unsafe record struct ReadBuffer(ReadRange Range, nint Address)
{
    /// <summary>The source's own number for the range.</summary>
    public long State => Range.State;

    public byte* Pointer => (byte*)Address;
    public ReadOnlySpan<byte> Bytes => new((byte*)Address, Range.Length);
}
