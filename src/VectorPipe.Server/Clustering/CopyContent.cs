using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Clustering;

/// <summary>What a copy of a replica consists of.</summary>
/// <param name="Place">The place of the log up to which it has all; it may have more.</param>
/// <param name="Files">Name, with folders, and length of each file.</param>
internal sealed record CopyContent(LogPlace Place, IReadOnlyList<(string Name, long Length)> Files);
