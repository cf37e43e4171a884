using System.Globalization;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Bench.Ablations;

/// <summary>
/// The steps from a plain beam search to the library's defaults and beyond. Each step has the additions of all steps before it.
/// </summary>
internal static class AblationLadder
{
    /// <summary>The group of the steps from a plain beam search to the defaults and beyond.</summary>
    public const string Ladder = "ladder";

    /// <summary>The group of policies, widths and entries that the library does not have, each in place of the library's.</summary>
    public const string Others = "others";

    /// <summary>The group of all efforts to save reads by computation.</summary>
    public const string Front = "front";

    private const string OneStep =
        "alone it changes no count: only a search that uses all of a page gains from near nodes in it; see page-search";

    /// <summary>All steps in order; those outside of the ladder come last.</summary>
    public static IReadOnlyList<AblationStep> All { get; } =
    [
        new("beam", AblationIndex.Shuffled, "beam", SearchPolicy.List, "plain layout, nodes in a random order, one entry point, beam"),
        new("pipeline", AblationIndex.Shuffled, "pipe", SearchPolicy.List, "issues the next read as soon as one lands"),
        new("entries", AblationIndex.Shuffled, "pipe", SearchPolicy.List, "enters at the nearest of a sample of the nodes, by code")
        { EntersBySample = true },
        new("packed", null, "pipe", SearchPolicy.List, OneStep),
        new("page-search", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "near nodes share a page: scores all of them, and follows links of those on the list without a read")
        { EntersBySample = true },
        new("decoupled", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "computes exact distances while the next reads are in flight; later steps steer by them, and cannot")
        { EntersBySample = true, ResultsLate = true },
        new("merged-links", AblationIndex.Links, "pipe", SearchPolicy.List,
            "merged layout: links out of the page in 2 bytes each, chosen among requests; scores members of near pages before the read")
        { EntersBySample = true },
        new("page-graph", AblationIndex.PageGraph, "pipe", SearchPolicy.List,
            "walks links of pages in memory before each read, and enters by them"),
        new("replicas", AblationIndex.Merged, "pipe", SearchPolicy.List,
            "pages hold replicas of near vectors in place of a quarter of their own nodes"),
        new("gain", AblationIndex.Merged, "pipe", SearchPolicy.Gain, "reads the page of highest gain, down to a threshold"),
        new("near-links", AblationIndex.Merged, "pipe", SearchPolicy.Gain, "follows links of near nodes only") { FollowFactor = null },
        new("opq", AblationIndex.Rotated, "pipe", SearchPolicy.Gain, "rotated codes") { FollowFactor = null },
        new("width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain, "three reads in flight at first, then doubling (the default)")
        { FollowFactor = null, Width = SearchWidth.Remaining },
        new("cache", AblationIndex.Rotated, "pipe", SearchPolicy.Gain, "a static cache of a tenth of the node file")
        { FollowFactor = null, Width = SearchWidth.Remaining, CacheShare = 0.1 },
        new("entries-beam", AblationIndex.Shuffled, "beam", SearchPolicy.List, "entries as a beam") { EntersBySample = true, Group = null },
        new("built-beam", AblationIndex.Packed, "beam", SearchPolicy.List, "the plain layout with its own entry point, as a beam")
        { Group = null },
        new("plain-beam", AblationIndex.Packed, "beam", SearchPolicy.List, "page-search as a beam") { EntersBySample = true, Group = null },
        new("gain-beam", AblationIndex.Merged, "beam", SearchPolicy.Gain, "near-links as a beam") { FollowFactor = null, Group = null },
        new("opq-beam", AblationIndex.Rotated, "beam", SearchPolicy.Gain, "opq as a beam") { FollowFactor = null, Group = null },
        new("wide-beam", AblationIndex.Rotated, "beam", SearchPolicy.Gain, "width as a beam")
        { FollowFactor = null, Width = SearchWidth.Remaining, Group = null },
        new("ratio", AblationIndex.Rotated, "pipe", SearchPolicy.Ratio,
            "opq, but reads the page of the best candidate while that is near enough")
        { FollowFactor = null, Group = Others },
        new("relaxed", AblationIndex.Rotated, "pipe", SearchPolicy.Relaxed,
            "opq, but reads the page of the best candidate until several pages in a row add no result")
        { FollowFactor = null, Group = Others },
        new("adaptive-width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "opq, but four reads in flight at first, and more while few of them are wasted")
        { FollowFactor = null, Width = SearchWidth.Adaptive, Group = Others },
        new("position-width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "opq, but more reads in flight for every ten candidates that were requested")
        { FollowFactor = null, Width = SearchWidth.Position, Group = Others },
        new("recent-plain", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "page-search, and enters at the results of the thread's latest queries")
        { EntersBySample = true, EntersAtRecentResults = true, Group = Others },
        new("recent-results", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "width, and enters at the results of the thread's latest queries")
        { FollowFactor = null, Width = SearchWidth.Remaining, EntersAtRecentResults = true, Group = Others },
        .. from walkWidth in new[] { 8, 16, 32, 64 }
           from followFactor in new[] { 1.15f, 1.3f, 1.6f, 2, 3 }
           select FrontOf(walkWidth, followFactor),
    ];

    /// <summary>The steps of names of steps and groups, in order; without names the ladder.</summary>
    public static IReadOnlyList<AblationStep> Named(IReadOnlyCollection<string> names)
    {
        foreach (string name in names)
        {
            UsageException.Require(
                All.Any(step => step.Name == name || step.Group == name), "--steps", $"'{name}'",
                $"some of {Ladder}, {Others}, {Front}, "
                + $"{string.Join(", ", All.Where(step => step.Group != Front).Select(step => step.Name))}");
        }

        string[] wanted = names.Count == 0 ? [Ladder] : [.. names];
        return [.. All.Where(step => wanted.Contains(step.Name) || wanted.Contains(step.Group))];
    }

    private static AblationStep FrontOf(int walkWidth, float followFactor)
    {
        string follow = followFactor.ToString(CultureInfo.InvariantCulture);
        return new AblationStep(
            $"walk-{walkWidth}-follow-{follow}", AblationIndex.Merged, "pipe", SearchPolicy.Gain,
            $"walks from the pages of the best {walkWidth} candidates in memory; follow factor {follow}")
        {
            FollowFactor = null,
            Effort = new SearchEffort(followFactor, walkWidth, 1),
            Group = Front,
        };
    }
}
