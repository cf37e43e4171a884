using Microsoft.Extensions.Logging;
using VectorPipe.Bench.Commands;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Ablations;

/// <summary>Measures steps at equal recall. Not thread-safe.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="arguments">The options.</param>
/// <param name="folder">Where the indexes lie.</param>
/// <param name="queries">Queries of the indexes' type and dimension.</param>
/// <param name="recall">Measures recall.</param>
/// <param name="logging">Receives log messages.</param>
/// <param name="report">Told of every setting that was measured; null for nobody.</param>
internal sealed class AblationRun<T>(
    AblateBenchArguments arguments, string folder, VectorMatrix queries, Recall recall, ILoggerFactory logging, Action<string>? report)
    where T : unmanaged
{
    /// <summary>Measures all steps at all recalls.</summary>
    public IReadOnlyList<AblationRow> Measure(IReadOnlyList<AblationStep> steps, CancellationToken cancellationToken)
    {
        List<AblationRow> rows = [];
        for (int i = 0; i < steps.Count; i++)
            rows.AddRange(Measure(i + 1, steps[i], cancellationToken));
        return rows;
    }

    private IEnumerable<AblationRow> Measure(int number, AblationStep step, CancellationToken cancellationToken)
    {
        if (step.Index is null)
            return arguments.Recalls.Select(wanted => new AblationRow(number, step, wanted, null, null, 0));
        string directory = Path.Combine(folder, step.Index.Name);
        IndexInfo info = VectorIndex.Inspect(directory);
        OpenOptions options = arguments.ToOpenOptions(arguments.QueriesInFlight) with
        {
            LoggerFactory = logging,
            CacheBytes = (long)(
            step.CacheShare * info.Files.First(file => file.Role == "Nodes").Length)
        };
        int? entries = step.EntersBySample ? (int)Math.Ceiling(arguments.EntrySample * info.Count) : null;
        using MeasuredIndex index = MeasuredIndex.Open(directory, options, cancellationToken, entries, step.Effort);
        var sweep = new SearchSweep<T>(
            index, queries, recall, check: null, arguments.K, arguments.QueriesInFlight, arguments.Rate, arguments.DeviceIops);
        return [.. Measure(number, step, sweep, cancellationToken)];
    }

    private List<AblationRow> Measure(int number, AblationStep step, SearchSweep<T> sweep, CancellationToken cancellationToken)
    {
        var scale = new KnobScale(step.Policy, arguments.K);
        RecentResults? recent = step.EntersAtRecentResults ? new RecentResults() : null;
        var common = new ReferenceSearch
        {
            BeamWidth = arguments.BeamWidth,
            Width = step.Width,
            Mode = Choices.Mode(step.Mode),
            FollowFactor = step.FollowFactor,
            ResultsLate = step.ResultsLate,
            Recent = recent,
        };
        Dictionary<int, SearchBenchRow> measured = [];
        double RecallOf(int setting)
        {
            var cell = new SearchCell(step.Mode, arguments.ThreadCounts[0], ReferenceSettings.Of(scale.At(setting, common)));
            SearchBenchRow row = sweep.Measure(cell, TimeSpan.Zero, TimeSpan.Zero, cancellationToken);
            measured.Add(setting, row);
            report?.Invoke(
                $"[{step.Name} {cell.Knob}] recall {row.Search.Recall:F4}, {row.Search.ReadsPerQuery:F2} reads, {row.Search.Qps:F0}/s");
            return row.Search.Recall!.Value;
        }

        var search = new KnobSearch(scale, RecallOf);
        HashSet<int> timed = [];
        List<AblationRow> rows = [];
        foreach (double wanted in arguments.Recalls)
        {
            (int lower, int upper) = search.Bracket(wanted);
            foreach (int setting in new[] { lower, upper })
            {
                // What the knob was found by is one pass; times are of as long as was asked for, counts of either.
                if (arguments.RunSeconds is not null && timed.Add(setting))
                    measured[setting] = sweep.Measure(
                        new SearchCell(step.Mode, arguments.ThreadCounts[0], ReferenceSettings.Of(scale.At(setting, common))),
                        Seconds(arguments.WarmUpSeconds), Seconds(arguments.RunSeconds), cancellationToken);
            }

            double share = AblationRow.ShareOf(measured[lower].Search.Recall, measured[upper].Search.Recall, wanted);
            rows.Add(
                new AblationRow(number, step, wanted, measured[lower], measured[upper], scale.Between(lower, lower == upper ? 0 : share)));
        }

        return rows;
    }

    private static TimeSpan Seconds(double? seconds) => TimeSpan.FromSeconds(seconds ?? 0);
}
