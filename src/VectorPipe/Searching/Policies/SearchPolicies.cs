namespace VectorPipe.Searching.Policies;

/// <summary>The policies of a query slot: one of each, of which a query's plan takes a pair.</summary>
/// <remarks>The only place that knows them by name. Not thread-safe.</remarks>
internal sealed class SearchPolicies
{
    private readonly BestFirstPolicy _bestFirst = new();
    private readonly GainPolicy _gain = new();
    private readonly RelaxedPolicy _relaxed = new();
    private readonly FixedWidth _fixedWidth = new();
    private readonly AdaptiveWidth _adaptiveWidth = new();
    private readonly PositionWidth _positionWidth = new();
    private readonly RemainingWidth _remainingWidth = new();

    public SearchPolicies() => (Pages, Width) = (_bestFirst, _fixedWidth);

    /// <summary>Which pages are read, and when the search ends.</summary>
    public IPagePolicy Pages { get; private set; }

    /// <summary>How many reads may be in flight.</summary>
    public IWidthPolicy Width { get; private set; }

    /// <summary>A query begins.</summary>
    public void Begin(in SearchPlan plan)
    {
        _bestFirst.Ratio = plan.Policy == SearchPolicy.Ratio ? plan.Threshold : 0;
        _gain.Threshold = plan.Threshold;
        _relaxed.Patience = plan.Threshold;
        Pages = plan.Policy switch
        {
            SearchPolicy.Gain => _gain,
            SearchPolicy.Relaxed => _relaxed,
            _ => _bestFirst,
        };
        Width = plan.Width switch
        {
            SearchWidth.Adaptive => _adaptiveWidth,
            SearchWidth.Position => _positionWidth,
            SearchWidth.Remaining => _remainingWidth,
            _ => _fixedWidth,
        };
        Width.Begin(plan.BeamWidth);
    }
}
