using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>Nodes at which a search enters beside those of the index.</summary>
/// <remarks>Called by the thread that searches; a source that several threads share must be thread-safe.</remarks>
internal interface IEntrySource
{
    /// <summary>Copies the internal ids of nodes.</summary>
    /// <param name="ids">Receives them: room for 1,024. One may come twice.</param>
    /// <returns>How many there are.</returns>
    int CopyTo(Span<uint> ids);

    /// <summary>Receives the results of a search that has ended, with their internal ids.</summary>
    void Note(ResultPool results);
}
