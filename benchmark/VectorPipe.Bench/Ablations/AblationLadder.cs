using System.Globalization;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Bench.Ablations;

/// <summary>
/// The steps from a plain beam search to what the library does by default and beyond; each has all that the steps before it have.
/// </summary>
internal static class AblationLadder
{
    /// <summary>The group of the steps from a plain beam to the defaults and beyond.</summary>
    public const string Ladder = "ladder";

    /// <summary>The group of policies, widths and entries that the library does not have, each in the place of its own.</summary>
    public const string Others = "others";

    /// <summary>The group of what may be computed to save reads, in all combinations.</summary>
    public const string Front = "front";

    private const string OneStep =
        "alone it changes no count: only a search that uses all of a page has anything of near nodes in it; see page-search";

    /// <summary>All steps, in order; at the end those that are not part of the ladder.</summary>
    public static IReadOnlyList<AblationStep> All { get; } =
    [
        new("beam", AblationIndex.Shuffled, "beam", SearchPolicy.List, "plain layout, nodes in a random order, one entry point, beam"),
        new("pipeline", AblationIndex.Shuffled, "pipe", SearchPolicy.List, "the next read is issued as soon as one lands"),
        new(
            "entries", AblationIndex.Shuffled, "pipe", SearchPolicy.List,
            "enters at the best of a sample of the nodes, whose codes are scanned (in place of a graph over them)") { EntersBySample =
            true },
        new("packed", null, "pipe", SearchPolicy.List, OneStep),
        new(
            "page-search", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "near nodes in a page, all of them scored, links of those on the list followed without a read") { EntersBySample = true },
        new(
            "decoupled", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "exact distances while the next reads are in flight; further down they steer the walk, and cannot wait") { EntersBySample =
            true, ResultsLate = true },
        new(
            "merged-links", AblationIndex.Links, "pipe", SearchPolicy.List,
            "merged layout: links that lead out of the page, in 2 bytes, chosen from the other end; members of near pages scored before "
            + "the read") { EntersBySample = true },
        new(
            "page-graph", AblationIndex.PageGraph, "pipe", SearchPolicy.List,
            "links of pages in memory, walked before each read; enters as the layout does"),
        new(
            "replicas", AblationIndex.Merged, "pipe", SearchPolicy.List,
            "pages repeat near vectors of others in place of a quarter of their own"),
        new("gain", AblationIndex.Merged, "pipe", SearchPolicy.Gain, "reads the page that promises most, while it promises enough"),
        new("near-links", AblationIndex.Merged, "pipe", SearchPolicy.Gain, "follows links of near nodes only") { FollowFactor = null },
        new("opq", AblationIndex.Rotated, "pipe", SearchPolicy.Gain, "rotated codes") { FollowFactor = null },
        new(
            "width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "three reads in flight at first, twice as many each time (the default)") { FollowFactor = null, Width = SearchWidth.Remaining },
        new(
            "cache", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "a static cache of a tenth of the node file") { FollowFactor = null, Width = SearchWidth.Remaining, CacheShare = 0.1 },
        new("entries-beam", AblationIndex.Shuffled, "beam", SearchPolicy.List, "entries as a beam") { EntersBySample = true, Group = null },
        new(
            "built-beam", AblationIndex.Packed, "beam", SearchPolicy.List,
            "the plain layout as it is built, entered where it says, as a beam") { Group = null },
        new("plain-beam", AblationIndex.Packed, "beam", SearchPolicy.List, "page-search as a beam") { EntersBySample = true, Group = null },
        new("gain-beam", AblationIndex.Merged, "beam", SearchPolicy.Gain, "near-links as a beam") { FollowFactor = null, Group = null },
        new("opq-beam", AblationIndex.Rotated, "beam", SearchPolicy.Gain, "opq as a beam") { FollowFactor = null, Group = null },
        new(
            "wide-beam", AblationIndex.Rotated, "beam", SearchPolicy.Gain,
            "width as a beam") { FollowFactor = null, Width = SearchWidth.Remaining, Group = null },
        new(
            "ratio", AblationIndex.Rotated, "pipe", SearchPolicy.Ratio,
            "opq, but reads the best candidate's page as long as the candidate is near enough") { FollowFactor = null, Group = Others },
        new(
            "relaxed", AblationIndex.Rotated, "pipe", SearchPolicy.Relaxed,
            "opq, but reads the best candidate's page until some pages in a row bring nothing") { FollowFactor = null, Group = Others },
        new(
            "adaptive-width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "opq, but four reads in flight at first, more as long as few come too late") { FollowFactor =
            null, Width = SearchWidth.Adaptive, Group = Others },
        new(
            "position-width", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "opq, but more reads in flight for every ten candidates asked for") { FollowFactor =
            null, Width = SearchWidth.Position, Group = Others },
        new(
            "recent-plain", AblationIndex.Packed, "pipe", SearchPolicy.List,
            "page-search, and enters where the latest queries of the thread ended") { EntersBySample =
            true, EntersAtRecentResults = true, Group = Others },
        new(
            "recent-results", AblationIndex.Rotated, "pipe", SearchPolicy.Gain,
            "width, and enters where the latest queries of the thread ended") { FollowFactor =
            null, Width = SearchWidth.Remaining, EntersAtRecentResults = true, Group = Others },
        .. from walkWidth in new[] { 8, 16, 32, 64 }
           from followFactor in new[] { 1.15f, 1.3f, 1.6f, 2, 3 }
           select FrontOf(walkWidth, followFactor),
    ];

    /// <summary>The steps of some names of steps and groups, in order; without names the ladder.</summary>
    /// <exception cref="UsageException">There is no step or group of a name.</exception>
    public static IReadOnlyList<AblationStep> Named(IReadOnlyCollection<string> names)
    {
        foreach (string name in names)
        {
            UsageException.Require(
                All.Any(step => step.Name == name || step.Group == name),
                "--steps", $"'{name}'",
                $"some of {Ladder}, {Others}, {Front}, "
                + $"{string.Join(", ", All.Where(step => step.Group != Front).Select(step => step.Name))}");
        }

        string[] wanted = names.Count == 0 ? [Ladder] : [.. names];
        return [.. All.Where(step => wanted.Contains(step.Name) || wanted.Contains(step.Group))];
    }

    private static AblationStep FrontOf(int walkWidth, float followFactor) => new(
        $"walk-{walkWidth}-follow-{followFactor.ToString(CultureInfo.InvariantCulture)}",
        AblationIndex.Merged,
        "pipe",
        SearchPolicy.Gain,
        $"pages of the best {walkWidth} candidates walked to in memory, links of nodes followed up to "
        + $"{followFactor.ToString(CultureInfo.InvariantCulture)} times as far as the answer")
    {
        FollowFactor = null,
        Effort = new SearchEffort(followFactor, walkWidth, 1),
        Group = Front,
    };
}
