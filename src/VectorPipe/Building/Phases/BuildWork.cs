using VectorPipe.Building.Graphs;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Phases;

/// <summary>What phases hand on to each other, whatever the kind of index. Owns what it holds.</summary>
internal class BuildWork : IDisposable
{
    /// <summary>Vectors and keys in the order in which the source had them; null when later phases hold them in another form.</summary>
    public PointTable? Points { get; set; }

    /// <summary>Hash of vectors and keys.</summary>
    public ulong PointsHash { get; set; }

    /// <summary>Makes the codes; null if there are none.</summary>
    public Quantizer? Quantizer { get; set; }

    /// <summary>What the index holds.</summary>
    public IndexSchema? Schema { get; set; }

    /// <summary>Identity of the index.</summary>
    public ulong IndexId { get; set; }

    /// <summary>The files that are complete.</summary>
    public List<FileEntry> Files { get; } = [];

    /// <summary>How the key directory came out.</summary>
    public KeyDirectoryShape? Keys { get; set; }

    /// <summary>How the index answers, if that was measured.</summary>
    public Calibration? Calibration { get; set; }

    /// <summary>Bytes of all files of the index, once it is published.</summary>
    public long IndexBytes { get; set; }

    /// <summary>Bytes of rows that were shuffled and are not counted by paged memory.</summary>
    public long ShuffledBytes { get; set; }

    /// <summary>What the graph build found and repaired.</summary>
    public GraphReport Report { get; init; } = new();

    /// <summary>Roles of the files, in the order in which the manifest names them.</summary>
    public IReadOnlyList<FileRole> FileOrder { get; init; } = [];

    /// <summary>The manifest of the files that are complete.</summary>
    /// <param name="generation">The generation that was written.</param>
    public Manifest Manifest(uint generation) =>
        new(
            IndexId, generation, Schema!, Keys!,
            [.. FileOrder.SelectMany(role => Files.Where(file => file.Role == role))])
        { Calibration = Calibration };

    /// <summary>The vectors, while they are in the order of the source.</summary>
    public PointTable RequirePoints() =>
        Points ?? throw new InvalidOperationException("A phase that reads vectors comes before the one that hands them on.");

    /// <summary>Frees the vectors and all that was made of them for the files.</summary>
    public virtual void Release()
    {
        Points?.Dispose();
        Points = null;
    }

    /// <summary>Frees what is left.</summary>
    public virtual void Dispose() => Release();
}
