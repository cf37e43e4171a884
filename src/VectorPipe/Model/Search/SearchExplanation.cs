using System.Globalization;

namespace VectorPipe.Model.Search;

/// <summary>Tells a person what a search did, and why.</summary>
internal static class SearchExplanation
{
    /// <summary>A line for each of: effort, filter, work, time, end.</summary>
    public static string Of(in SearchStatistics search)
    {
        var lines = new List<string> { EffortOf(search.RecallBasis) };
        if (search.Strategy != FilterStrategy.None)
            lines.Add(FilterOf(search));
        lines.Add(Text($"Work: {search.Reads:N0} reads ({search.BytesRead:N0} bytes) in {search.Rounds:N0} rounds, ")
            + Text($"{search.CacheHits:N0} pages from memory; ")
            + Text($"{search.CodeDistances:N0} distances by code, {search.ExactDistances:N0} by vector."));
        lines.Add(Text($"Time: {search.ElapsedUs:N0} us: {search.QueueUs:N0} waiting for its turn, {search.CpuUs:N0} computing, ")
            + Text($"{search.IoUs:N0} waiting for reads and for the thread."));
        lines.Add(Text($"End: {search.Hits:N0} hits, {EndOf(search.EndedBy)}."));
        return string.Join('\n', lines);
    }

    private static string EffortOf(RecallBasis basis) => "Effort: " + basis switch
    {
        RecallBasis.Settings => "as the options say; nothing is known about its recall.",
        RecallBasis.Calibrated => "what the calibration of the index needed for the target recall.",
        RecallBasis.BeyondCalibration => "the most of the calibration, which did not reach the target recall.",
        RecallBasis.Estimated => "what reaches the target recall on most collections; the index has no calibration.",
        _ => "every vector that may be a hit is compared.",
    };

    private static string FilterOf(in SearchStatistics search) => Text($"Filter: {search.Matches:N0} vectors match: ")
        + search.Strategy switch
        {
            FilterStrategy.Nothing => "there is nothing to search.",
            FilterStrategy.Codes => "so few that the codes of all of them are compared.",
            FilterStrategy.Cells => "their codes are compared cell by cell, from the query's on, until no near one may follow.",
            FilterStrategy.Walk => "so many of all that a walk without a filter meets enough of them.",
            FilterStrategy.Lists => "the nearest lists that hold one are scanned.",
            _ => "the vectors of all of them are compared.",
        };

    private static string EndOf(SearchEnd end) => end switch
    {
        SearchEnd.Complete => "as many as were wanted",
        SearchEnd.AllVectors => "all vectors that there are",
        SearchEnd.AllMatches => "all that match the filter",
        SearchEnd.AllWithin => "all that were found within the score",
        SearchEnd.MaxReads => "the best of as many reads as are allowed",
        SearchEnd.Deadline => "the best that were found in time",
        _ => "as many as the search found with its options",
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
