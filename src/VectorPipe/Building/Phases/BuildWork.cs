using VectorPipe.Building.Graphs;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Phases;

/// <summary>State that phases hand on to each other, for every kind of index. Owns its tables.</summary>
internal class BuildWork : IDisposable
{
    /// <summary>Vectors and keys in the order of the source; null after a phase has taken them over.</summary>
    public PointTable? Points { get; set; }

    /// <summary>Hash of vectors and keys.</summary>
    public ulong PointsHash { get; set; }

    /// <summary>Number of the snapshot from which the build was taken up; 0 for none.</summary>
    public int TakenUpFrom { get; set; }

    /// <summary>Makes the codes; null for none.</summary>
    public Quantizer? Quantizer { get; set; }

    public IndexSchema? Schema { get; set; }

    public ulong IndexId { get; set; }

    /// <summary>The files that are complete.</summary>
    public List<FileEntry> Files { get; } = [];

    public KeyDirectoryShape? Keys { get; set; }

    /// <summary>The calibration; null for none.</summary>
    public Calibration? Calibration { get; set; }

    /// <summary>Bytes of all files of the published index.</summary>
    public long IndexBytes { get; set; }

    /// <summary>Results of the graph build.</summary>
    public GraphReport Report { get; init; } = new();

    /// <summary>Roles of the files in the order of the manifest.</summary>
    public IReadOnlyList<FileRole> FileOrder { get; init; } = [];

    /// <summary>The manifest of the files that are complete.</summary>
    public Manifest Manifest(uint generation) =>
        new(IndexId, generation, Schema!, Keys!, [.. FileOrder.SelectMany(role => Files.Where(file => file.Role == role))])
        {
            Calibration = Calibration,
        };

    public PointTable RequirePoints() =>
        Points ?? throw new InvalidOperationException("A phase that reads vectors comes before the one that hands them on.");

    /// <summary>Frees the vectors and all tables made of them.</summary>
    public virtual void Release()
    {
        Points?.Dispose();
        Points = null;
    }

    public virtual void Dispose() => Release();
}
