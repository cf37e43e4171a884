using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Widens with the length of the list's beginning that has been asked for: the farther it reaches, the less is left that could
/// change the next choice.</summary>
/// <remarks>The static alternative of PipeANN (OSDI'25) to a width that follows the waste.</remarks>
internal sealed class PositionWidth : IWidthPolicy, IPageWatcher
{
    private const int CandidatesPerStep = 10;

    private readonly Convergence _walk = new();
    private int _most;

    /// <summary>Reads in flight, step by step.</summary>
    public static ReadOnlySpan<byte> Steps => [4, 8, 16, 24, 32];

    /// <inheritdoc/>
    public void Begin(int most)
    {
        _walk.Reset();
        _most = most;
    }

    /// <inheritdoc/>
    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    /// <inheritdoc/>
    public int Width(Frontier frontier) => Math.Min(_most, Steps[Math.Min(_walk.Position / CandidatesPerStep, Steps.Length - 1)]);
}
