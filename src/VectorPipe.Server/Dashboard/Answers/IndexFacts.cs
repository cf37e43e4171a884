namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>The index of a generation.</summary>
/// <param name="Kind">How it finds vectors: graph or ivf.</param>
/// <param name="Vectors">Vectors in it.</param>
/// <param name="PageBytes">Bytes of a page.</param>
/// <param name="DiskBytes">Bytes of its files.</param>
/// <param name="Reads">Reads at which its calibration reached the target recall of the server; null if it did not, or is missing.</param>
/// <param name="Recall">The recall that it reached with them.</param>
internal sealed record IndexFacts(string Kind, long Vectors, int PageBytes, long DiskBytes, double? Reads, double? Recall);
