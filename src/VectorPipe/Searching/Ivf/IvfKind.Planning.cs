using VectorPipe.Model.Errors;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Ivf;

/// <content>Checks how lists are scanned and fills in the options that are left open.</content>
internal sealed partial class IvfKind
{
    private const int DefaultRerank = 64;
    private const float DefaultBoundFactor = 1.5f;
    private const double ResultsPower = 0.25;

    // Probes that stand for a recall of 0.95 in an index that was not calibrated.
    private const int EstimatedProbes = 64;

    public override IvfPlan Plan(int asked, int k, SearchOptions options, SearchIndex index)
    {
        var tuning = WalkTuning.Of(options);
        IvfShape lists = index.Schema.Lists!;
        Check(k, options, tuning, lists);
        (int probes, RecallBasis basis) = options.Ivf?.Probes is { } set
            ? (set, RecallBasis.Settings)
            : For(options.TargetRecall ?? SearchOptions.DefaultTargetRecall, k, index);
        return new IvfPlan(
            asked, k, basis,
            Probes: Math.Min(probes, lists.Lists),
            Rerank: options.Ivf?.Rerank ?? Math.Min(GraphSearch.MaxListSize, Math.Max(DefaultRerank, 4 * k)),
            BoundFactor: tuning?.BoundFactor ?? DefaultBoundFactor)
        { Trace = options.Trace };
    }

    /// <summary>The lists that a plan scans under a filter, of those that hold a match.</summary>
    /// <remarks>The k nearest matches are spread as far as k nearest of all, divided by the share of matches.</remarks>
    public static int ProbesFor(IvfPlan plan, MatchSet matches, IvfIndex index)
    {
        if (matches.Count <= plan.K)
            return index.Lists.Count;
        double spread = Math.Pow(Math.Max(1, (double)index.Schema.Count / matches.Count), ResultsPower);
        return Math.Min(index.Lists.Count, Ceiling(plan.Probes * spread));
    }

    private static void Check(int k, SearchOptions options, WalkTuning? tuning, IvfShape lists)
    {
        // Messages are built only on failure.
        if (options.Graph is not null)
            throw Require.Violated(nameof(options.Graph), options.Graph, "none for an index of lists");
        if (options.Mode == SearchMode.Beam)
            throw Require.Violated(nameof(options.Mode), options.Mode, "Pipelined or Exact, for an index of lists");
        if (lists.IsCoded && k > GraphSearch.MaxListSize)
            throw Require.Violated(nameof(k), k, $"at most {GraphSearch.MaxListSize} results of coded lists; SearchMode.Exact finds more");
        if (options.Ivf is { } ivf)
        {
            if (ivf.Probes < 1)
                throw Require.Violated(nameof(ivf.Probes), ivf.Probes, "1 or more");
            if (ivf.Probes is not null && options.TargetRecall is not null)
                throw Require.Violated(nameof(ivf.Probes), ivf.Probes, "none beside a target recall");
            if (ivf.Rerank is { } rerank && (rerank < k || rerank > GraphSearch.MaxListSize))
                throw Require.Violated(nameof(ivf.Rerank), rerank, $"k ({k}) to {GraphSearch.MaxListSize}");
            if (ivf.Rerank is not null && !lists.IsCoded)
                throw Require.Violated(
                    nameof(ivf.Rerank), ivf.Rerank, "none for lists without codes, whose vectors are all ranked exactly");
        }

        if (tuning is null)
            return;
        if (tuning.BoundFactor is { } factor && !(factor > 0 && factor <= 100))
            throw Require.Violated(nameof(tuning.BoundFactor), factor, "above 0, at most 100");
        if (tuning != new WalkTuning { BoundFactor = tuning.BoundFactor })
            throw Require.Violated(nameof(options.Tuning), tuning, "a bound factor alone, for an index of lists");
    }

    /// <summary>The probes that find a recall.</summary>
    private static (int Probes, RecallBasis Basis) For(float recall, int k, SearchIndex index)
    {
        // More results lie in more lists.
        double spread = Math.Pow(Math.Max(1, (double)k / Calibration.K), ResultsPower);
        if (index.Calibration is not { Points.Count: > 0 } calibration)
        {
            double share = Math.Log(1 - recall) / Math.Log(1 - SearchOptions.DefaultTargetRecall);
            return (Ceiling(EstimatedProbes * spread * share), RecallBasis.Estimated);
        }

        RecallBasis basis = recall <= calibration.MostFound ? RecallBasis.Calibrated : RecallBasis.BeyondCalibration;
        return (Ceiling(calibration.ThresholdFor(recall) * spread), basis);
    }

    private static int Ceiling(double probes) => (int)Math.Min(int.MaxValue, Math.Ceiling(probes));
}
