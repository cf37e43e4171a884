using VectorPipe.Diagnostics;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <content>How an index of lists is searched.</content>
public sealed partial record SearchOptions
{
    private const int DefaultProbes = 32;
    private const int DefaultRerank = 64;
    private const float DefaultListThreshold = 1.5f;

    /// <summary>
    /// Index of lists: lists that are scanned at most, 1 or more: the nearest by their centroids. More means higher recall, and in proportion more bytes read. <see cref="Threshold"/> ends a
    /// search before: a list is passed over if the least distance that its vectors can have, times this, lies beyond the end of the answer; at 1 next to nothing is lost by it, more saves reads for recall; default 1.5.
    /// With coded lists <see cref="ListSize"/> is the number of vectors that are read and ranked exactly; default 64, or 4 k if that is more. No other option has an effect. Default: 32.
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
        if (TargetRecall is not null)
            throw Require.Violated(nameof(TargetRecall), TargetRecall, "none for an index of lists");
        return new SearchPlan(listSize, MostReads, Width, Mode, SearchPolicy.Ratio, threshold, 1, false, null, Trace, Probe) { Probes = Math.Min(Probes ?? DefaultProbes, lists.Lists) };
    }
}
