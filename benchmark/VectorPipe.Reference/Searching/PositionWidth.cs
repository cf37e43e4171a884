using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Widens with the number of nearest candidates that were requested: PipeANN's static alternative (OSDI'25).</summary>
internal sealed class PositionWidth : IWidthPolicy, IPageWatcher
{
    private const int CandidatesPerStep = 10;

    private readonly Convergence _walk = new();
    private int _most;

    /// <summary>Reads in flight for each step.</summary>
    public static ReadOnlySpan<byte> Steps => [4, 8, 16, 24, 32];

    public void Begin(int most)
    {
        _walk.Reset();
        _most = most;
    }

    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    public int Width(Frontier frontier) => Math.Min(_most, Steps[Math.Min(_walk.Position / CandidatesPerStep, Steps.Length - 1)]);
}
