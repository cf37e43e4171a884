namespace VectorPipe.Diagnostics;

/// <summary>What a search was asked for, as its span tells.</summary>
/// <param name="K">Results.</param>
/// <param name="Options">Its options; null for the defaults.</param>
internal readonly record struct SearchAim(int K, SearchOptions? Options)
{
    /// <summary>The recall that was aimed at; null if the effort was set by hand, or every vector is compared.</summary>
    public float? TargetRecall => Options is null
        ? SearchOptions.DefaultTargetRecall
        : Options.TargetRecall ?? (HasEffort(Options) ? null : SearchOptions.DefaultTargetRecall);

    private static bool HasEffort(SearchOptions options) => options.Mode == SearchMode.Exact
        || options.Graph is { Threshold: not null } or { ListSize: not null } || options.Ivf is { Probes: not null };
}
