namespace VectorPipe.Searching.Graph;

/// <summary>A verified page of a query; its bytes are valid until the query ends.</summary>
internal readonly unsafe struct ArrivedPage(uint number, byte* bytes)
{
    /// <summary>Number of the page, from 0.</summary>
    public uint Number { get; } = number;

    public byte* Bytes { get; } = bytes;
}
