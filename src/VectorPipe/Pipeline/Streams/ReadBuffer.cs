namespace VectorPipe.Pipeline.Streams;

/// <summary>The bytes of a range, verified. Valid until the next call of the stream.</summary>
/// <remarks>No record: the text of one would show the pointer, for which ahead-of-time compilers have no code.</remarks>
/// <param name="range">The range that the source named.</param>
/// <param name="address">First byte.</param>
internal readonly unsafe struct ReadBuffer(ReadRange range, nint address)
{
    /// <summary>The range that the source named.</summary>
    public ReadRange Range { get; } = range;

    /// <summary>The source's own number for the range.</summary>
    public long State => Range.State;

    public byte* Pointer => (byte*)address;
    public ReadOnlySpan<byte> Bytes => new((byte*)address, Range.Length);
}
