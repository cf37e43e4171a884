using VectorPipe.Model;

namespace VectorPipe.Bench.Ablations;

/// <summary>An index of the family: one graph, laid out in one way.</summary>
/// <param name="Name">Name of its folder.</param>
/// <param name="Layout">What a page holds.</param>
/// <param name="Code">How vectors are compressed, by name.</param>
/// <param name="IsShuffled">Plain: whether nodes lie in a random order.</param>
/// <param name="HasPageGraph">Merged: whether links of pages are held in memory.</param>
/// <param name="HasReplicas">Merged: whether pages repeat vectors of others.</param>
internal sealed record AblationIndex(
    string Name, IndexLayout Layout, string Code, bool IsShuffled = false, bool HasPageGraph = true, bool HasReplicas = true)
{
    /// <summary>Plain, nodes in a random order.</summary>
    public static AblationIndex Shuffled { get; } = new("plain-shuffled", IndexLayout.Plain, "pq", IsShuffled: true);

    /// <summary>Plain, near nodes in a page.</summary>
    public static AblationIndex Packed { get; } = new("plain-packed", IndexLayout.Plain, "pq");

    /// <summary>Merged, with nothing but nodes and links.</summary>
    public static AblationIndex Links { get; } = new("merged-links", IndexLayout.Merged, "pq", HasPageGraph: false, HasReplicas: false);

    /// <summary>Merged, without replicas.</summary>
    public static AblationIndex PageGraph { get; } = new("merged-page-graph", IndexLayout.Merged, "pq", HasReplicas: false);

    /// <summary>Merged, as it is by default.</summary>
    public static AblationIndex Merged { get; } = new("merged", IndexLayout.Merged, "pq");

    /// <summary>Merged, with rotated codes.</summary>
    public static AblationIndex Rotated { get; } = new("merged-opq", IndexLayout.Merged, "opq");
}
