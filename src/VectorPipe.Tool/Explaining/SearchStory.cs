namespace VectorPipe.Tool.Explaining;

/// <summary>Tells in a few sentences what a search did, and why.</summary>
internal static class SearchStory
{
    /// <summary>What the search did.</summary>
    public static IEnumerable<string> What(ExplainedSearch search)
    {
        SearchStatistics cost = search.Statistics;
        if (search.Store.Index is null)
        {
            yield return "The collection has no index yet: its records wait in memory, and each of them was compared.";
            yield break;
        }

        string work = cost.Reads == 0 ? "without a read" : PageText.Of($"with {cost.Reads:N0} reads ({cost.BytesRead:N0} bytes)");
        yield return PageText.Of($"{cost.Hits:N0} hits were found in {PageText.Us(cost.ElapsedUs)}, {work}.");
        if (search.Timeline.Reads.Count > 0)
            yield return PageText.Of($"Until {PageText.Us(search.Timeline.Reads[0].FromUs)}, it looked in memory for what to read first.");
        if (OverlapOf(search) is { } overlap)
            yield return overlap;
        int open = search.Timeline.Reads.Count(read => read.ToUs is null);
        if (open > 0)
            yield return PageText.Of($"{open:N0} of them had not landed when the answer was complete, which did not depend on them.");
        yield return PageText.Of($"The search ran {search.Search.Runs:N0} times; this is the run of median time.");
        if (search.IsUsuallyExact)
            yield return "The collection is so small that a search with these options usually compares every vector; "
                + "one with a timeline goes the way of large collections.";
    }

    /// <summary>Why: the library's own explanation, as pairs of a heading and a sentence.</summary>
    public static IEnumerable<(string Heading, string Sentence)> Why(ExplainedSearch search)
    {
        foreach (string line in search.Statistics.Explain().Split('\n'))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            yield return (line[..colon], char.ToUpperInvariant(line[colon + 2]) + line[(colon + 3)..]);
        }
    }

    /// <summary>What the curve of recall tells about the search.</summary>
    public static string Curve(ExplainedSearch search, IndexCalibrationPoint? chosen)
    {
        string filter = search.Filter is null ? "" : " It was measured without a filter.";
        string origin = "The calibration searched the index for the 10 nearest of its own vectors, with more and more effort.";
        if (chosen is not { } point)
            return $"{origin} A list size is not on its curve, which is one of thresholds.{filter}";
        string effort = search.Store.Index!.Kind == IndexKind.Ivf
            ? PageText.Of($"{point.Threshold:0.#} probes")
            : PageText.Of($"a threshold of {point.Threshold:G3}");
        string choice = SearchFacts.TargetOf(search) is { } target
            ? PageText.Of($"The target recall of {target:G4} chose {effort}")
            : PageText.Of($"The options chose {effort}");
        bool isBeyond = search.Statistics.RecallBasis == RecallBasis.BeyondCalibration;
        string beyond = isBeyond ? ", the end of the curve, which is below the target" : "";
        return $"{origin} {choice}{beyond}. One query reads more than the mean, another one less.{filter}";
    }

    private static string? OverlapOf(ExplainedSearch search)
    {
        double landedUs = search.Timeline.Reads.Sum(read => read.TimeUs ?? 0);
        if (landedUs == 0)
            return null;
        SearchStatistics cost = search.Statistics;
        return PageText.Of($"One after another, the reads would have taken {PageText.Us(landedUs)}. ")
            + PageText.Of($"The search waited {PageText.Us(cost.IoUs)} for them: ")
            + PageText.Of($"up to {search.Timeline.Rows(cost.ElapsedUs).Count} were in flight at once, and ")
            + PageText.Of($"{100 * search.ComputingBesideReadsUs / Math.Max(cost.CpuUs, 0.1):N0} % of the computing happened meanwhile.");
    }
}
