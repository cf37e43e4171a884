using VectorPipe.Diagnostics;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <content>How an index of lists is searched.</content>
public sealed partial record SearchOptions
{
    private const int DefaultProbes = 32;
    private const int DefaultRerank = 64;
    private const float DefaultListThreshold = 1.5f;
    private const double ResultsPower = 0.25;

    /// <summary>
    /// Index of lists: lists that are scanned at most, 1 or more: the nearest by their centroids. More means higher recall, and in proportion more bytes read. <see cref="Threshold"/> ends a
    /// search before: a list is passed over if the least distance that its vectors can have, times this, lies beyond the end of the answer; at 1 next to nothing is lost by it, more saves reads for recall; default 1.5.
    /// With coded lists <see cref="ListSize"/> is the number of vectors that are read and ranked exactly; default 64, or 4 k if that is more. With a <see cref="TargetRecall"/> the index's calibration says how many lists it takes.
    /// No other option has an effect. Default: 32.
    /// </summary>
    public int? Probes { get; init; }

    private SearchPlan ResolveLists(int k, SearchIndex index, ListShape lists)
    {
        // Checked for every query: words are put together only for an error.
        int listSize = ListSize ?? Math.Min(MaxListSize, Math.Max(DefaultRerank, 4 * k));
        float threshold = Threshold ?? DefaultListThreshold;
        if (k < 1 || k > index.Schema.Count)
            throw Require.Violated(nameof(k), k, $"1 to {index.Schema.Count}, the number of vectors in the index");
        if (listSize < k || listSize > MaxListSize)
            throw Require.Violated(nameof(ListSize), listSize, $"k ({k}) to {MaxListSize}");
        if (Probes < 1)
            throw Require.Violated(nameof(Probes), Probes, "1 or more");
        if (!(threshold > 0 && threshold <= 100))
            throw Require.Violated(nameof(Threshold), threshold, "above 0, at most 100");
        if (Policy is not null)
            throw Require.Violated(nameof(Policy), Policy, "none for an index of lists");
        int probes = TargetRecall is { } recall ? ResolveProbes(recall, k, index) : Probes ?? DefaultProbes;
        return new SearchPlan(listSize, MostReadsWith(SearchPolicy.Ratio), WidthWith(SearchPolicy.Ratio), Mode, SearchPolicy.Ratio, threshold, 1, false, null, Trace, Probe) { Probes = Math.Min(probes, lists.Lists) };
    }

    private int ResolveProbes(float recall, int k, SearchIndex index)
    {
        if (!(recall >= 0.5f && recall <= 0.9999f))
            throw Require.Violated(nameof(TargetRecall), recall, "0.5 to 0.9999");
        if (Probes is not null)
            throw Require.Violated(nameof(Probes), Probes, "none, beside a target recall");
        if (Threshold is not null)
            throw Require.Violated(nameof(Threshold), Threshold, "none, beside a target recall");
        if (index.Calibration is not { } calibration)
            throw Require.Violated(nameof(TargetRecall), recall, "none, for an index that was not calibrated");

        // More results lie in more lists.
        double spread = Math.Pow(Math.Max(1, (double)k / Calibration.K), ResultsPower);
        return (int)Math.Min(int.MaxValue, Math.Ceiling(calibration.ThresholdFor(recall) * spread));
    }
}
