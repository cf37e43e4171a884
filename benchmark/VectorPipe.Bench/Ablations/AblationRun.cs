using Microsoft.Extensions.Logging;
using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Ablations;

/// <summary>Measures steps at equal recall. Not thread-safe.</summary>
/// <param name="folder">Parent folder of the indexes.</param>
/// <param name="report">Receives a line for each measured setting; may be null.</param>
internal sealed class AblationRun<T>(
    AblateBenchArguments arguments, string folder, VectorMatrix queries, Recall recall, ILoggerFactory logging, Action<string>? report)
    where T : unmanaged
{
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
            CacheBytes = (long)(step.CacheShare * info.Files.First(file => file.Role == "Nodes").Length),
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
        var common = new ReferenceSearch
        {
            BeamWidth = arguments.BeamWidth,
            Width = step.Width,
            Mode = Choices.Mode(step.Mode),
            FollowFactor = step.FollowFactor,
            ResultsLate = step.ResultsLate,
            Recent = step.EntersAtRecentResults ? new RecentResults() : null,
        };
        Dictionary<int, SearchBenchRow> measured = [];
        SearchCell CellOf(int setting) =>
            new(step.Mode, arguments.ThreadCounts[0], ReferenceSettings.Of(scale.At(setting, common)));

        double RecallOf(int setting)
        {
            SearchCell cell = CellOf(setting);
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
                // The search for the knob measures single passes, too short for times.
                if (arguments.RunSeconds is not null && timed.Add(setting))
                {
                    measured[setting] = sweep.Measure(
                        CellOf(setting), Seconds(arguments.WarmUpSeconds), Seconds(arguments.RunSeconds), cancellationToken);
                }
            }

            double share = AblationRow.ShareOf(measured[lower].Search.Recall, measured[upper].Search.Recall, wanted);
            rows.Add(
                new AblationRow(number, step, wanted, measured[lower], measured[upper], scale.Between(lower, lower == upper ? 0 : share)));
        }

        return rows;
    }

    private static TimeSpan Seconds(double? seconds) => TimeSpan.FromSeconds(seconds ?? 0);
}
