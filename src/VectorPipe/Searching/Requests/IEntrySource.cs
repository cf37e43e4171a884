using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>More entry points of a search than those of the index.</summary>
/// <remarks>Called by the thread that searches; a source that several threads share must be thread-safe.</remarks>
internal interface IEntrySource
{
    /// <summary>Copies the internal ids of the nodes, and returns their number.</summary>
    /// <param name="ids">Room for 1,024. An id may come twice.</param>
    int CopyTo(Span<uint> ids);

    /// <summary>Receives the results of a search that has ended, with their internal ids.</summary>
    void Note(ResultPool results);
}
