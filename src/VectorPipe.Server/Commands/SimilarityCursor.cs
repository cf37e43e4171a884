using System.Diagnostics;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>A search that goes on where it stopped, with a filter or without.</summary>
/// <remarks>
/// <para>It does not hold its set, which can be removed meanwhile: who asks for more does.</para>
/// <para>Not thread-safe: one call at a time.</para>
/// </remarks>
/// <param name="set">The set.</param>
/// <param name="arguments">What was asked for: filter, distance, and the limits of each call.</param>
/// <param name="cursor">The search, with attributes if there is a filter.</param>
internal sealed class SimilarityCursor(VectorSet set, SimilarityArguments arguments, CollectionCursor<string> cursor)
{
    // The first hits that a filter looks at, and the growth of each step.
    private const int FirstStep = 64;
    private const int MostStep = 4096;

    private readonly SimilarityArguments _arguments = arguments;

    // Hits that were not looked at, and those that match and were not given, as a call failed: both nearest first.
    private readonly Queue<CollectionHit<string>> _ahead = [];
    private readonly List<CollectionHit<string>> _matches = [];
    private bool _isSpent;

    public VectorSet Set { get; } = set;

    /// <summary>What was asked for.</summary>
    public ref readonly SimilarityArguments Arguments => ref _arguments;

    /// <summary>Whether there are no more hits.</summary>
    public bool HasEnded => _isSpent && _ahead.Count == 0 && _matches.Count == 0;

    /// <summary>Elements that a filter looks at first.</summary>
    public static int FirstStepOf(int count) => Math.Clamp(count, FirstStep, MostStep);

    /// <summary>The next hits, nearest first; fewer at the end, and when a limit ends the call.</summary>
    /// <param name="count">Their number.</param>
    /// <param name="stop">Ends the call; the next one goes on.</param>
    public async Task<SimilarityAnswer> NextAsync(int count, CancellationToken stop)
    {
        // Attributes are texts that nothing is known about before: hits are looked at from the nearest on, until enough of them match.
        long left = _arguments.Filter is null ? long.MaxValue : _arguments.FilterEffort;
        SearchStatistics cost = default;
        long start = Stopwatch.GetTimestamp();
        int steps = 0;
        for (int step = FirstStepOf(count); ; step = Math.Min(2 * step, MostStep))
        {
            left -= LookAhead(count, left);
            if (_matches.Count >= count || _isSpent)
                return Give(count, cost, steps);
            if (left == 0)
                return Give(count, cost with { EndedBy = SearchEnd.Limit }, steps);

            // The limits are those of each search in turn, and of all of them.
            if (Stopwatch.GetElapsedTime(start) >= (_arguments.Deadline ?? TimeSpan.MaxValue))
                return Give(count, cost with { EndedBy = SearchEnd.Deadline }, steps);
            if (cost.Reads >= (_arguments.MostReads ?? int.MaxValue))
                return Give(count, cost with { EndedBy = SearchEnd.MaxReads }, steps);
            int wanted = _arguments.Filter is null ? count - _matches.Count : (int)Math.Min(step, left);
            CollectionResult<string> next = await cursor.NextAsync(wanted, stop);
            cost = SimilaritySearch.Sum(cost, next.Statistics);
            steps++;
            foreach (CollectionHit<string> hit in next)
                _ahead.Enqueue(hit);
            if (next.Count == wanted)
                continue;
            bool isCut = next.Statistics.EndedBy is SearchEnd.MaxReads or SearchEnd.Deadline;
            LookAhead(count, left);
            _isSpent |= !isCut;
            return Give(count, cost, steps);
        }
    }

    /// <summary>Takes back hits that were given last and did not reach the client: they come again.</summary>
    public void PutBack(IEnumerable<CollectionHit<string>> hits) => _matches.InsertRange(0, hits);

    // Looks at hits that were found until enough of them match, and says at how many.
    private int LookAhead(int count, long most)
    {
        int looked = 0;
        while (_matches.Count < count && looked < most && _ahead.TryDequeue(out CollectionHit<string> hit))
        {
            looked++;
            if (SimilaritySearch.IsBeyond(_arguments, Set.Settings.Metric, hit.Score))
            {
                _isSpent = true;
                _ahead.Clear();
            }
            else if (_arguments.Filter?.Matches(hit.Payload.Span) ?? true)
            {
                _matches.Add(hit);
            }
        }

        return looked;
    }

    private SimilarityAnswer Give(int count, SearchStatistics cost, int steps)
    {
        CollectionHit<string>[] given = [.. _matches.Take(count)];
        _matches.RemoveRange(0, given.Length);
        return new SimilarityAnswer(given, cost, steps > 1);
    }
}
