namespace VectorPipe.Searching.Requests;

/// <summary>Receives all nodes that a search has met: one that is inserted gets its links from them.</summary>
/// <remarks>Called by the thread that searches.</remarks>
internal interface INeighbourSink
{
    /// <summary>Receives the nodes of a search that has ended.</summary>
    /// <param name="row">Row of the query.</param>
    /// <param name="nodes">
    /// Distances and internal ids as <see cref="Pools.CandidateKey"/>, nearest first: by exact distance where it is known, else by code.
    /// </param>
    void Take(int row, ReadOnlySpan<ulong> nodes);
}
