using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Widens by one read with every page after the walk has converged, while few pages are wasted (PipeANN, OSDI'25).</summary>
/// <remarks>Before convergence every page improves the choice of the next one. After it, most chosen pages are read anyway.</remarks>
internal sealed class AdaptiveWidth : IWidthPolicy, IPageWatcher
{
    /// <summary>Reads in flight until the walk has converged.</summary>
    public const int First = 4;

    /// <summary>The largest share of wasted pages at which the width still grows.</summary>
    public const float MostWaste = 0.1f;

    private readonly Convergence _walk = new();
    private int _most;
    private int _width;
    private int _taken;
    private int _counted;
    private int _wasted;
    private int _wastedBefore;

    public void Begin(int most)
    {
        _walk.Reset();
        _most = most;
        _width = Math.Min(First, most);
        _taken = _counted = _wasted = _wastedBefore = 0;
    }

    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    public int Width(Frontier frontier)
    {
        if (_walk.Taken == _taken)
            return _width;
        if (_walk.HasConverged)
        {
            _counted += _walk.Taken - _taken;
            _wasted += _walk.Wasted - _wastedBefore;
            if (_wasted <= MostWaste * _counted)
                _width = Math.Min(_width + 1, _most);
        }

        (_taken, _wastedBefore) = (_walk.Taken, _walk.Wasted);
        return _width;
    }
}
