namespace VectorPipe.Tool.Explaining;

/// <summary>The figures of a search, in groups, as the page lists them.</summary>
internal static class SearchFacts
{
    /// <summary>What was searched, and how.</summary>
    public static IEnumerable<SearchFact> Settings(ExplainedSearch search)
    {
        bool isIvf = search.Store.Index?.Kind == IndexKind.Ivf;
        string kind = search.Store.Index is null ? "none yet" : isIvf ? "lists (ivf)" : "graph";
        yield return new("kind", "kind of index", search.Store.Collection is null ? kind : $"{kind}, of a collection");
        if (search.Store.Index is { } index)
            yield return new("vectors", "vectors in the index", PageText.Of($"{index.Count:N0}"));
        if (search.Store.Collection is { } collection)
        {
            yield return new("records", "records", PageText.Of($"{collection.Count:N0}"));
            yield return new("waiting-writes", "writes that wait in memory", PageText.Of($"{collection.Waiting:N0}"));
        }

        yield return new("metric", "metric", search.Store.Metric.ToString());
        yield return new("k", "hits wanted (k)", PageText.Of($"{search.K:N0}"));
        if (TargetOf(search) is { } target)
            yield return new("target-recall", "target recall", PageText.Of($"{target:G4}"));
        foreach ((string name, double value) in search.Timeline.Settings)
            yield return new(name.Replace('_', '-'), NameOf(name), PageText.Of($"{value:G4}"));
        if (search.Filter is { } filter)
        {
            yield return new("filter", "filter", filter.ToString());
            yield return new("matches", "vectors that match it", PageText.Of($"{search.Statistics.Matches:N0}"));
            yield return new("strategy", "way through the matches", search.Statistics.Strategy.ToString());
        }

        yield return new("device", "device", search.Store.DeviceName ?? "unknown");
        if (search.Store.DeviceFallback is { } reason)
            yield return new("fallback", "why not io_uring", reason);
    }

    /// <summary>What the search did, and how long it took.</summary>
    public static IEnumerable<SearchFact> Work(ExplainedSearch search)
    {
        SearchStatistics cost = search.Statistics;
        bool isIvf = search.Store.Index?.Kind == IndexKind.Ivf;
        yield return Count("reads", "reads", cost.Reads);
        yield return Count("pages", "pages read", cost.PagesRead);
        yield return Count("bytes", "bytes read", cost.BytesRead);
        yield return Count("rounds", isIvf ? "reads that were waited for" : "rounds of reads", cost.Rounds);
        yield return Count("cached", "pages from memory", cost.CacheHits);
        yield return Count("hops", isIvf ? "lists scanned" : "vectors whose links were followed", cost.Hops);
        yield return Count("code-distances", "distances by code", cost.CodeDistances);
        yield return Count("exact-distances", "distances by vector", cost.ExactDistances);
        yield return Count("hits", "hits", cost.Hits);
        yield return new("elapsed", "time", PageText.Us(cost.ElapsedUs));
        yield return new("queue", "of it waiting for its turn", PageText.Us(cost.QueueUs));
        yield return new("computing", "of it computing", PageText.Us(cost.CpuUs));
        yield return new("waiting", "of it waiting for reads and the thread", PageText.Us(cost.IoUs));
    }

    /// <summary>The recall that the search aims at; null if its options say how far to search.</summary>
    public static float? TargetOf(ExplainedSearch search)
    {
        bool isByHand = search.Options.Graph?.Threshold is not null || search.Options.Graph?.ListSize is not null
            || search.Options.Ivf?.Probes is not null;
        return isByHand ? null : search.Options.TargetRecall ?? SearchOptions.DefaultTargetRecall;
    }

    private static SearchFact Count(string id, string name, long count) => new(id, name, PageText.Of($"{count:N0}"));

    private static string NameOf(string setting) => setting switch
    {
        "threshold" => "threshold: least gain of a read",
        "list_size" => "list size",
        "candidates" => "candidates kept",
        "beam_width" => "most reads in flight",
        "probes" => "lists to scan (probes), at most",
        "rerank" => "vectors to rank exactly, at most",
        _ => setting,
    };
}
