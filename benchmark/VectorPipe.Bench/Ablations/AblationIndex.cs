using VectorPipe.Model;

namespace VectorPipe.Bench.Ablations;

/// <summary>An index of the family: the one graph in one layout.</summary>
/// <param name="Name">Name of its folder.</param>
/// <param name="Code">Kind of codes, by name.</param>
/// <param name="IsShuffled">Plain: whether nodes are in a random order.</param>
/// <param name="HasPageGraph">Merged: whether the page graph is in memory.</param>
internal sealed record AblationIndex(
    string Name, IndexLayout Layout, string Code, bool IsShuffled = false, bool HasPageGraph = true, bool HasReplicas = true)
{
    /// <summary>Plain, with nodes in a random order.</summary>
    public static AblationIndex Shuffled { get; } = new("plain-shuffled", IndexLayout.Plain, "pq", IsShuffled: true);

    /// <summary>Plain, with near nodes in a page.</summary>
    public static AblationIndex Packed { get; } = new("plain-packed", IndexLayout.Plain, "pq");

    /// <summary>Merged, with only nodes and links.</summary>
    public static AblationIndex Links { get; } = new("merged-links", IndexLayout.Merged, "pq", HasPageGraph: false, HasReplicas: false);

    /// <summary>Merged, without replicas.</summary>
    public static AblationIndex PageGraph { get; } = new("merged-page-graph", IndexLayout.Merged, "pq", HasReplicas: false);

    /// <summary>Merged, the default.</summary>
    public static AblationIndex Merged { get; } = new("merged", IndexLayout.Merged, "pq");

    /// <summary>Merged, with rotated codes.</summary>
    public static AblationIndex Rotated { get; } = new("merged-opq", IndexLayout.Merged, "opq");
}
