using VectorPipe.Building.Clusters;
using VectorPipe.Building.Writing;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Ivf;

/// <summary>Everything that the files of an index of lists say, as a number; see <see cref="IndexContent"/>.</summary>
internal static class IvfContent
{
    /// <summary>Hashes an index.</summary>
    /// <param name="schema">What it holds and how it was built.</param>
    /// <param name="points">Hash of vectors and keys.</param>
    /// <param name="quantizer">What makes the codes; null if there are none.</param>
    /// <param name="map">Which vectors lie in which list.</param>
    /// <param name="graph">The centroids.</param>
    public static unsafe ulong Hash(IndexSchema schema, ulong points, Quantizer? quantizer, LeafMap map, CentroidGraph graph)
    {
        ContentHash hash = IndexContent.Begin(schema, points, quantizer);
        hash.AddAll<int>(map.Offsets);
        hash.AddAll<int>(map.Points);
        hash.AddAll(graph.Centroids.Pointer, graph.Centroids.Length);
        hash.AddAll(graph.Links.Pointer, graph.Links.Length);
        return hash.Value;
    }
}
