using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>The policies of a query slot: one of each. A query's plan takes a pair of them.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class SearchPolicies
{
    private readonly ExhaustivePolicy _exhaustive = new();
    private readonly GainPolicy _gain = new();
    private readonly FixedWidth _fixedWidth = new();
    private readonly RemainingWidth _remainingWidth = new();
    private IPolicySource<IPagePolicy>? _pageSource;
    private IPolicySource<IWidthPolicy>? _widthSource;
    private IPagePolicy? _otherPages;
    private IWidthPolicy? _otherWidth;

    public SearchPolicies() => (Pages, Width) = (_exhaustive, _fixedWidth);

    /// <summary>Chooses the pages to read, and ends the search.</summary>
    public IPagePolicy Pages { get; private set; }

    /// <summary>Bounds the reads in flight.</summary>
    public IWidthPolicy Width { get; private set; }

    /// <summary>Chooses the policies of a query that begins.</summary>
    public void Begin(GraphPlan plan, Frontier frontier)
    {
        if (plan.Tuning?.Pages is { } pages)
        {
            Pages = Other(pages);
        }
        else if (plan.Threshold is { } threshold)
        {
            _gain.Threshold = threshold;
            Pages = _gain;
        }
        else
        {
            Pages = _exhaustive;
        }

        Width = plan.Tuning?.Width is { } width ? Other(width) : plan.IsWidthFixed ? _fixedWidth : _remainingWidth;
        Pages.Begin();
        Width.Begin(plan.BeamWidth);
        frontier.Watch(Pages as IPageWatcher, Width as IPageWatcher);
    }

    private IPagePolicy Other(IPolicySource<IPagePolicy> source)
    {
        if (_otherPages is null || !source.Equals(_pageSource))
            (_pageSource, _otherPages) = (source, source.Create());
        return _otherPages;
    }

    private IWidthPolicy Other(IPolicySource<IWidthPolicy> source)
    {
        if (_otherWidth is null || !source.Equals(_widthSource))
            (_widthSource, _otherWidth) = (source, source.Create());
        return _otherWidth;
    }
}
