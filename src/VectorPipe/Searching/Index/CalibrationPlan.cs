namespace VectorPipe.Searching.Index;

/// <summary>Which searches measure an index of a kind.</summary>
internal sealed record CalibrationPlan
{
    /// <summary>The search whose candidates the line of code distances is fitted to; null if the kind has no use for it.</summary>
    public SearchOptions? Fit { get; init; }

    /// <summary>The search whose results count as the true neighbours.</summary>
    public required SearchOptions Truth { get; init; }

    /// <summary>A search for each point of the table, from the least effort on, with the setting that the table keeps.</summary>
    public required IReadOnlyList<(float Setting, SearchOptions Options)> Steps { get; init; }

    /// <summary>The most recall that a point of the table claims by queries that were made of the index's own vectors.</summary>
    public Func<float, float> MostClaimed { get; init; } = static _ => 1;

    /// <summary>Recall at which the table ends early: further points would tell nothing more.</summary>
    public float EnoughRecall { get; init; } = 0.9995f;

    /// <summary>Pages that a search needed, cached or not, whatever the order in which they landed.</summary>
    public required Func<SearchStatistics, long> PagesOf { get; init; }
}
