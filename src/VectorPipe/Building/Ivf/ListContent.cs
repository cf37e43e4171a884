using System.Runtime.InteropServices;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Building.Ivf;

/// <summary>Everything that the files of an index of lists say, as a number; see <see cref="IndexContent"/>.</summary>
internal static class ListContent
{
    /// <summary>Hashes an index.</summary>
    /// <param name="schema">What it holds and how it was built.</param>
    /// <param name="points">Hash of vectors and keys.</param>
    /// <param name="quantizer">What makes the codes; null if there are none.</param>
    /// <param name="map">Which vectors lie in which list.</param>
    /// <param name="graph">The centroids.</param>
    public static ulong Hash(IndexSchema schema, ulong points, Quantizer? quantizer, LeafMap map, CentroidGraph graph)
    {
        ContentHash hash = IndexContent.Begin(schema, points, quantizer);
        hash.Add(MemoryMarshal.AsBytes<int>(map.Offsets));
        hash.Add(MemoryMarshal.AsBytes<int>(map.Points));
        hash.Add(MemoryMarshal.AsBytes<float>(graph.Centroids));
        hash.Add(MemoryMarshal.AsBytes<uint>(graph.Links));
        return hash.Value;
    }
}
