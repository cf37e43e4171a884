using System.Diagnostics;

namespace VectorPipe.Tool.Explaining;

/// <summary>The search of median time among repetitions: a first one includes compilation, and any may meet a busy machine.</summary>
/// <param name="Found">Its answer and cost.</param>
/// <param name="Timeline">What it did when.</param>
/// <param name="Runs">Repetitions.</param>
internal sealed record MedianSearch(FoundHits Found, QueryTimeline Timeline, int Runs)
{
    private const int MostRuns = 100;
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(1);

    /// <summary>Repeats a search for a second, or as often as makes no difference any more.</summary>
    public static async Task<MedianSearch> RunAsync(Func<SearchTrace, Task<FoundHits>> search)
    {
        List<(FoundHits Found, SearchTrace Trace)> runs = [];
        long start = Stopwatch.GetTimestamp();
        while (runs.Count == 0 || (runs.Count < MostRuns && Stopwatch.GetElapsedTime(start) < _longest))
        {
            var trace = new SearchTrace();
            runs.Add((await search(trace), trace));
        }

        (FoundHits found, SearchTrace median) = runs.OrderBy(run => run.Found.Statistics.ElapsedUs).ElementAt(runs.Count / 2);
        return new MedianSearch(found, QueryTimeline.Of(median), runs.Count);
    }
}
