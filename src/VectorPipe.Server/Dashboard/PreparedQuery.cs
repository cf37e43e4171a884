using Microsoft.AspNetCore.Http;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Filtering;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Dashboard;

/// <summary>A query that was checked, and can be searched for in its set.</summary>
/// <param name="Set">The set.</param>
/// <param name="Vector">The query, as long as its vectors.</param>
internal sealed record PreparedQuery(VectorSet Set, ReadOnlyMemory<float> Vector, int Count, float Recall, AttributeFilter? Filter)
{
    // A page shows no more, and each hit comes with its attributes.
    private const int MostCount = 1000;

    // A page waits no longer, and an exact search of a large set must not go on behind it.
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(10);

    /// <summary>Checks a query against its set.</summary>
    /// <exception cref="DashboardException">Something is wrong with it.</exception>
    public static async Task<PreparedQuery> OfAsync(SearchQuery query, VectorSet set, ServerState server, CancellationToken stop)
    {
        int count = query.Count ?? SimilarityArguments.DefaultCount;
        if (count is < 1 or > MostCount)
            throw Bad($"count: expected 1 to {MostCount}, found {count}");
        float recall = query.Recall ?? server.Options.TargetRecall;
        if (recall is not (>= 0.5f and <= 0.9999f))
            throw Bad(FormattableString.Invariant($"recall: expected 0.5 to 0.9999, found {recall}"));
        AttributeFilter? filter = string.IsNullOrEmpty(query.Filter) ? null : ParseFilter(query.Filter);
        return new PreparedQuery(set, await VectorOfAsync(query, set, stop), count, recall, filter);
    }

    /// <summary>Searches at a target recall.</summary>
    /// <param name="stop">Ends it early.</param>
    public Task<SimilarityAnswer> SearchAsync(float recall, CancellationToken stop) => RunAsync(isExact: false, recall, stop);

    /// <summary>Compares all vectors, as TRUTH does.</summary>
    /// <param name="stop">Ends it early.</param>
    public Task<SimilarityAnswer> SearchExactAsync(CancellationToken stop) => RunAsync(isExact: true, recall: null, stop);

    /// <summary>Searches with a trace, which always walks: beside a filter for the elements that it looks at first.</summary>
    /// <returns>The elements looked for, and the cost.</returns>
    public async Task<(int Count, SearchStatistics Cost)> TraceAsync(SearchTrace trace, CancellationToken stop)
    {
        int count = Filter is null ? Count : SimilarityCursor.FirstStepOf(Count);
        var options = new SearchOptions { TargetRecall = Recall, Deadline = _longest, Trace = trace };
        CollectionResult<string> found = await Set.Collection.SearchAsync(Vector, count, options, cancellationToken: stop);
        return (count, found.Statistics);
    }

    private Task<SimilarityAnswer> RunAsync(bool isExact, float? recall, CancellationToken stop)
    {
        var arguments = new SimilarityArguments
        {
            Count = Count,
            IsExact = isExact,
            Recall = recall,
            Filter = Filter,
            FilterEffort = isExact ? long.MaxValue : (long)SimilarityArguments.FilterEffortPerHit * Count,
            Deadline = _longest,
            WithAttributes = true,
        };
        SearchOptions options = arguments.ToOptions(SearchOptions.Default, Set.Collection.Count);
        return SimilaritySearch.FindAsync(Set, Vector, arguments, options, stop);
    }

    private static AttributeFilter ParseFilter(string text)
    {
        int bytes = System.Text.Encoding.UTF8.GetByteCount(text);
        if (bytes > SimilarityArguments.MostFilterBytes)
            throw Bad($"filter: expected at most {SimilarityArguments.MostFilterBytes} bytes, found {bytes}");
        try
        {
            return AttributeFilter.Parse(text);
        }
        catch (FilterSyntaxException e)
        {
            throw Bad($"filter: {e.Message}");
        }
    }

    private static async Task<ReadOnlyMemory<float>> VectorOfAsync(SearchQuery query, VectorSet set, CancellationToken stop)
    {
        if ((query.Element is null) == (query.Vector is null))
            throw Bad($"query: expected an element or a vector, found {(query.Element is null ? "neither" : "both")}");
        return query.Vector is { } vector ? Fit(vector, set.Settings) : await VectorOfAsync(query.Element!, set, stop);
    }

    private static float[] Fit(float[] vector, SetSettings settings)
    {
        if (vector.Length == settings.Dimension)
            return vector;
        return vector.Length == settings.ExpectedDimension
            ? Projection.Apply(vector, settings.Dimension)
            : throw Bad($"vector: expected {settings.ExpectedDimension} numbers, found {vector.Length}");
    }

    private static async Task<ReadOnlyMemory<float>> VectorOfAsync(string element, VectorSet set, CancellationToken stop)
    {
        int bytes = System.Text.Encoding.UTF8.GetByteCount(element);
        if (bytes is 0 or > Call.MostElementBytes)
            throw Bad($"element: expected 1 to {Call.MostElementBytes} bytes, found {bytes}");
        return await set.Collection.GetAsync(element, Include.Vector, stop) is { } record
            ? record.GetVector<float>().ToArray()
            : throw new DashboardException(
                StatusCodes.Status404NotFound,
                $"element: expected one of set '{SetNames.ToText(set.Settings.LocalName)}', found '{element}'");
    }

    private static DashboardException Bad(string message) => new(StatusCodes.Status400BadRequest, message);
}
