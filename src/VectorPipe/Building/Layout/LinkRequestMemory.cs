namespace VectorPipe.Building.Layout;

/// <summary>Memory for applications to pages that are brought into the order of pages by way of scratch files.</summary>
/// <param name="ShuffleBytes">Bytes for rows while they are shuffled: more means fewer and longer reads later.</param>
/// <param name="WindowBytes">Bytes of the rows that are read at a time: more means fewer and longer reads.</param>
internal readonly record struct LinkRequestMemory(long ShuffleBytes, long WindowBytes)
{
    /// <summary>Bytes that are held for each byte of a window: the row as it was read, and as it is sorted.</summary>
    public static double HeldOfWindow => 1 + (double)LinkRequesters.BytesOfApplicant / ShuffledLinkRequest.Bytes;
}
