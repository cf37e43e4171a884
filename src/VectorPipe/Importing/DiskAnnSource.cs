using VectorPipe.Devices.Choosing;
using VectorPipe.Formats;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Importing;

/// <summary>The files of a DiskANN index, checked against each other before anything is written.</summary>
/// <remarks>Immutable. Holds the quantizer.</remarks>
internal sealed class DiskAnnSource
{
    // Part of the hash's definition.
    private const int HashBlockBytes = 1 << 20;

    // The key directory sorts all keys in one array.
    private static readonly long _maxCount = Math.Min(SchemaLimits.MaxCount, Array.MaxLength);

    private readonly DiskAnnFiles _files;

    private DiskAnnSource(DiskAnnFiles files, DiskAnnGraphFile graph, DiskAnnCodesFile codes, DiskAnnPivots pivots,
        IReadOnlyList<string> omissions)
    {
        _files = files;
        Graph = graph;
        Codes = codes;
        Quantizer = CreateQuantizer(pivots);
        CodeLimit = pivots.Rows;
        Omissions = omissions;
    }

    public DiskAnnGraphFile Graph { get; }
    public DiskAnnCodesFile Codes { get; }

    /// <summary>The quantizer: DiskANN's mean, centroids and chunks, number by number.</summary>
    public Quantizer Quantizer { get; }

    /// <summary>Code bytes are below this: the number of trained centroids, up to 256.</summary>
    public int CodeLimit { get; }

    /// <summary>The program that wrote the files, in words.</summary>
    public string Writer => Graph.Header.Variant switch
    {
        DiskAnnVariant.Rust => "The index was written by the Rust program of DiskANN.",
        DiskAnnVariant.Cpp => "The index was written by the C++ program of DiskANN.",
        _ => "The index was written by PipeANN or an early C++ version of DiskANN.",
    };

    /// <summary>The parts of the index that an import leaves out, in words.</summary>
    public IReadOnlyList<string> Omissions { get; }

    /// <param name="prefix">Folder and beginning of the files' names.</param>
    /// <param name="metric">The metric of the index.</param>
    /// <param name="elementType">Type of a component; null to detect it.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    /// <exception cref="VectorFormatException">A file is malformed, contradicts another, or has unsupported content.</exception>
    public static async Task<DiskAnnSource> CheckAsync(
        string prefix, DistanceMetric metric, VectorElementType? elementType, CancellationToken cancellationToken)
    {
        var files = new DiskAnnFiles(prefix);
        files.RefuseTransformed();
        DiskAnnGraphFile graph = await DiskAnnGraphFile.CheckAsync(files.DiskIndex, elementType, cancellationToken).ConfigureAwait(false);
        CheckLimits(graph);
        CheckMetric(graph, metric);
        DiskAnnCodesFile codes = await DiskAnnCodesFile.CheckAsync(files.Codes, graph.Header, cancellationToken).ConfigureAwait(false);
        DiskAnnPivots pivots = await DiskAnnPivots.ReadAsync(
            files.Pivots, graph.Header.Dimension, codes.Rows.Dimension, cancellationToken).ConfigureAwait(false);
        uint[] medoids = await DiskAnnMedoids.ReadAsync(files, graph.Header, cancellationToken).ConfigureAwait(false);
        return new DiskAnnSource(files, graph, codes, pivots, OmissionsOf(files, graph.Header, medoids));
    }

    /// <summary>Hashes all bytes of the imported files, and the metric and element type of the import.</summary>
    public ulong Hash(DistanceMetric metric, DeviceOpener? openDevice, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        string[] paths = [_files.DiskIndex, _files.Codes, _files.Pivots];
        long total = paths.Sum(path => new FileInfo(path).Length);
        long done = 0;
        byte[] block = new byte[HashBlockBytes];
        var hash = new ContentHash();
        hash.Add(((ulong)metric << 32) | (uint)Graph.Format.ElementType);
        foreach (string path in paths)
        {
            using var scan = new FileScan(path, openDevice: openDevice);
            int read;
            do
            {
                read = scan.Read(block, cancellationToken);
                hash.Add(block.AsSpan(0, read));
                progress?.Report(new BuildProgress("identify", done += read, total));
            }
            while (read == HashBlockBytes);
        }

        return hash.Value;
    }

    private static void CheckLimits(DiskAnnGraphFile graph)
    {
        if (graph.Header.Count > _maxCount)
            throw new VectorFormatException(graph.Path, 8, $"at most {_maxCount} nodes", $"{graph.Header.Count}");
        if (graph.Header.Dimension > SchemaLimits.MaxDimension)
            throw new VectorFormatException(graph.Path, 16, $"a dimension of at most {SchemaLimits.MaxDimension}",
                $"{graph.Header.Dimension}");
        if (graph.Format.MaxDegree > SchemaLimits.MaxDegree)
            throw new VectorFormatException(graph.Path, 32, $"a node size with room for at most {SchemaLimits.MaxDegree} links",
                $"{graph.Header.NodeBytes} bytes, which have room for {graph.Format.MaxDegree}");
    }

    private static void CheckMetric(DiskAnnGraphFile graph, DistanceMetric metric)
    {
        if (metric == DistanceMetric.InnerProduct && graph.Header.Variant != DiskAnnVariant.Rust)
            throw VectorFormatException.ForFile(
                graph.Path, "an inner-product index of the Rust program, which keeps the original vectors",
                "an index of the C++ program, which scales them and adds a dimension, or an index of another metric");

        // DiskANN codes vectors as they lie in the index; a cosine index here needs codes of unit vectors.
        if (metric == DistanceMetric.Cosine && graph.Format.ElementType is VectorElementType.UInt8 or VectorElementType.Int8)
            throw VectorFormatException.ForFile(graph.Path, "float vectors of unit length for the cosine metric",
                $"{graph.Format.ElementType}, whose codes keep their lengths");
    }

    private static List<string> OmissionsOf(DiskAnnFiles files, DiskAnnHeader header, uint[] medoids)
    {
        var omissions = new List<string>();
        if (medoids.Length > 1)
            omissions.Add($"Of {medoids.Length} entry points only the medoid, node {header.Medoid}, was kept.");
        if (files.HasLabels)
            omissions.Add("The labels of the vectors were left out.");
        return omissions;
    }

    private static Quantizer CreateQuantizer(DiskAnnPivots pivots)
    {
        int dimension = pivots.Mean.Length;
        float[] centroids = new float[dimension * Quantizer.CentroidsPerChunk];
        for (int centroid = 0; centroid < Quantizer.CentroidsPerChunk; centroid++)
        {
            // Unused centroids repeat the first: no code names them, and nothing is nearer to them than to it.
            int row = centroid < pivots.Rows ? centroid : 0;
            for (int k = 0; k < dimension; k++)
                centroids[(k * Quantizer.CentroidsPerChunk) + centroid] = pivots.Pivots[(row * dimension) + k];
        }

        return new Quantizer(pivots.ChunkOffsets, pivots.Mean, centroids);
    }
}
