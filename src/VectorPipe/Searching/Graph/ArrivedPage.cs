namespace VectorPipe.Searching.Graph;

/// <summary>A verified page of a query.</summary>
/// <param name="number">Its number, from 0.</param>
/// <param name="bytes">Its bytes; valid until the query ends.</param>
internal readonly unsafe struct ArrivedPage(uint number, byte* bytes)
{
    /// <summary>Number of the page, from 0.</summary>
    public uint Number { get; } = number;

    /// <summary>Its bytes; valid until the query ends.</summary>
    public byte* Bytes { get; } = bytes;
}
