namespace VectorPipe.Building.Layout;

/// <summary>Memory for link requests that are shuffled into the order of pages.</summary>
/// <param name="ShuffleBytes">Bytes for rows during both shuffles: more means fewer and longer reads later.</param>
/// <param name="WindowBytes">Bytes of rows that are read together: more means fewer and longer reads.</param>
internal readonly record struct LinkRequestMemory(long ShuffleBytes, long WindowBytes)
{
    /// <summary>Bytes for the rows of one of the two shuffles: reverse neighbours of a part, and link requests of all.</summary>
    public long GroupBytes => ShuffleBytes / 2;

    /// <summary>Bytes in memory per byte of a window: the row as read, and as sorted.</summary>
    public static double HeldOfWindow => 1 + (double)LinkRequesters.BytesOfRequester / ShuffledLinkRequest.Bytes;
}
