using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Ivf;

/// <summary>The centroids of lists, float32 in the build space, and the graph over them.</summary>
/// <remarks>
/// In native memory, since many lists of long vectors have more components than an array holds. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class CentroidGraph : IDisposable
{
    /// <summary>Most links of a centroid: few, since a search visits a few hundred centroids, all in memory.</summary>
    public const int MaxDegree = 32;

    private const int ListSize = 64;
    private const float Alpha = 1.2f;

    private CentroidGraph(NativeBuffer centroids, NativeBuffer links, int degree, int entry)
    {
        Centroids = centroids;
        Links = links;
        Degree = degree;
        Entry = entry;
    }

    /// <summary>Centroids, one after another.</summary>
    public NativeBuffer Centroids { get; }

    /// <summary>Links, <see cref="Degree"/> per centroid, 32 bits each; unused places hold the number of the centroid itself.</summary>
    public NativeBuffer Links { get; }

    /// <summary>Places for links of a centroid.</summary>
    public int Degree { get; }

    /// <summary>The centroid at which searches enter.</summary>
    public int Entry { get; }

    /// <summary>Places for links of each of so many centroids.</summary>
    public static int DegreeOf(int lists) => Math.Clamp(lists - 1, 1, MaxDegree);

    /// <summary>Builds the graph; the same at any number of threads.</summary>
    public static CentroidGraph Build(LeafMap map, DistanceMetric metric, int threads, ulong seed, CancellationToken cancellationToken)
    {
        KernelRowFormat form = map.Centroids.Form;
        int components = form.Distance == PanelDistance.ByteL2Extended ? form.Components + 1 : form.Components;
        int degree = DegreeOf(map.Count);
        var centroids = new NativeBuffer((nuint)map.Count * (nuint)components * sizeof(float));
        NativeBuffer? links = null;
        try
        {
            // The graph owns this table.
            var points = new PointTable(DistanceMetric.L2, VectorElementType.Float32, components, map.Count);
            for (int list = 0; list < map.Count; list++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                var centroid = new Span<float>((float*)centroids.Pointer + ((nint)list * components), components);
                Copy(map.Centroids, list, centroid);
                points.Set(list, MemoryMarshal.AsBytes(centroid), (ulong)list);
            }

            var parameters = new GraphParameters(Math.Max(4, degree), ListSize, Alpha, threads, seed);
            using BuiltGraph graph =
                new PartitionedBuilder(new PartitionedOptions()).Build(points, parameters, new GraphReport(), null, cancellationToken);
            links = new NativeBuffer((nuint)map.Count * (nuint)degree * sizeof(uint));
            for (int row = 0; row < map.Count; row++)
            {
                int list = graph.PointOf(row);
                var own = new Span<uint>((uint*)links.Pointer + ((nint)list * degree), degree);
                own.Fill((uint)list);
                ReadOnlySpan<int> neighbours = graph.Links.Links(row);
                for (int i = 0; i < Math.Min(degree, neighbours.Length); i++)
                    own[i] = (uint)graph.PointOf(neighbours[i]);
            }

            return new CentroidGraph(centroids, links, degree, graph.PointOf(graph.Entry));
        }
        catch
        {
            centroids.Dispose();
            links?.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        Centroids.Dispose();
        Links.Dispose();
    }

    private static void Copy(VectorTable table, int row, Span<float> centroid)
    {
        KernelRowFormat form = table.Form;
        byte* words = table.Rows.Row(row);
        if (form.IsFloat)
        {
            new ReadOnlySpan<float>(words, form.Components).CopyTo(centroid);
            return;
        }

        int shift = form.IsUnsigned ? 128 : 0;
        double squaredNorm = 0;
        for (int i = 0; i < form.Components; i++)
        {
            centroid[i] = ((sbyte*)words)[i] + shift;
            squaredNorm += (double)centroid[i] * centroid[i];
        }

        if (form.Distance == PanelDistance.ByteL2Extended)
            centroid[^1] = table.Rows.Aux(row);

        // Byte vectors under cosine are compared by the chord between directions.
        if (form.Distance != PanelDistance.ByteChord || squaredNorm == 0)
            return;
        float scale = (float)(1 / Math.Sqrt(squaredNorm));
        foreach (ref float component in centroid)
            component *= scale;
    }
}
