using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Graph;

/// <content>Chooses the policies of a query: those of its plan, or those of its tuning.</content>
internal sealed unsafe partial class GraphQuery
{
    private readonly ExhaustivePolicy _exhaustive = new();
    private readonly GainPolicy _gain = new();
    private readonly FixedWidth _fixedWidth = new();
    private readonly RemainingWidth _remainingWidth = new();
    private IPolicySource<IPagePolicy>? _pageSource;
    private IPolicySource<IWidthPolicy>? _widthSource;
    private IPagePolicy? _otherPages;
    private IWidthPolicy? _otherWidth;

    // Chooses the pages to read, and ends the search.
    private IPagePolicy _pagePolicy;

    // Bounds the reads in flight.
    private IWidthPolicy _widthPolicy;

    private void BeginPolicies(GraphPlan plan)
    {
        if (plan.Tuning?.Pages is { } pages)
        {
            _pagePolicy = Made(pages, ref _pageSource, ref _otherPages);
        }
        else if (plan.Threshold is { } threshold)
        {
            _gain.Threshold = threshold;
            _pagePolicy = _gain;
        }
        else
        {
            _pagePolicy = _exhaustive;
        }

        if (plan.Tuning?.Width is { } width)
            _widthPolicy = Made(width, ref _widthSource, ref _otherWidth);
        else
            _widthPolicy = plan.IsWidthFixed ? _fixedWidth : _remainingWidth;
        _pagePolicy.Begin();
        _widthPolicy.Begin(plan.BeamWidth);
        _frontier.Watch(_pagePolicy as IPageWatcher, _widthPolicy as IPageWatcher);
    }

    /// <summary>The policy of a source, kept while queries come with an equal one.</summary>
    private static TPolicy Made<TPolicy>(IPolicySource<TPolicy> source, ref IPolicySource<TPolicy>? kept, ref TPolicy? policy)
        where TPolicy : class
    {
        if (policy is null || !source.Equals(kept))
            (kept, policy) = (source, source.Create());
        return policy;
    }
}
