namespace VectorPipe.Pipeline.Streams;

/// <summary>The bytes of a range, verified. Valid until the stream is next called.</summary>
/// <param name="Range">What the source asked for.</param>
/// <param name="Address">First byte.</param>
internal readonly unsafe record struct ReadBuffer(ReadRange Range, nint Address)
{
    /// <summary>The source's own number for the range.</summary>
    public long State => Range.State;

    /// <summary>First byte.</summary>
    public byte* Pointer => (byte*)Address;

    /// <summary>All bytes of the range.</summary>
    public ReadOnlySpan<byte> Bytes => new((byte*)Address, Range.Length);
}
