using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Begins narrow, and widens by one with every arrival once the walk has converged, as long as few pages come too late for their
/// candidates (PipeANN, OSDI'25).</summary>
/// <remarks>On the way to the neighbourhood every choice of the next page is better for what the last one brought; in it most chosen
/// pages will be read anyway. It never narrows.</remarks>
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

    /// <inheritdoc/>
    public void Begin(int most)
    {
        _walk.Reset();
        _most = most;
        _width = Math.Min(First, most);
        _taken = _counted = _wasted = _wastedBefore = 0;
    }

    /// <inheritdoc/>
    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    /// <inheritdoc/>
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
