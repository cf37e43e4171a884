using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>What an import did.</summary>
public sealed record DiskAnnImportReport
{
    /// <summary>Vectors imported.</summary>
    public required long Points { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Type of a component, as stated or found out.</summary>
    public required VectorElementType ElementType { get; init; }

    /// <summary>Most links that a node has room for.</summary>
    public required int MaxDegree { get; init; }

    /// <summary>Mean out-degree of the graph.</summary>
    public required double MeanDegree { get; init; }

    /// <summary>Bytes of a compressed code.</summary>
    public required int CodeBytes { get; init; }

    /// <summary>The node at which a search enters: DiskANN's medoid.</summary>
    public required long EntryPoint { get; init; }

    /// <summary>Bytes of all files of the index.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Time the import took.</summary>
    public required double WallSeconds { get; init; }

    /// <summary>Processor time of the process meanwhile.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>The phases, in order.</summary>
    public required IReadOnlyList<BuildPhase> Phases { get; init; }

    /// <summary>What the DiskANN index has and the import left out, in words; usually nothing.</summary>
    public required IReadOnlyList<string> Notes { get; init; }
}
