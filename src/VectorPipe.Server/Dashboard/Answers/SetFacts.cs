namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>The state of a set at a moment.</summary>
internal sealed record SetFacts
{
    public required string Name { get; init; }

    public required long Elements { get; init; }

    /// <summary>Components of the vectors that are stored.</summary>
    public required int Dimension { get; init; }

    /// <summary>Components of the vectors that come.</summary>
    public required int InputDimension { get; init; }

    public required string Metric { get; init; }

    public required long MemoryBytes { get; init; }

    /// <summary>Writes that wait in memory.</summary>
    public required long Waiting { get; init; }

    public required long WaitingBytes { get; init; }

    /// <summary>The number of the generation in force; 0 for none.</summary>
    public required long Generation { get; init; }

    /// <summary>Times that writes became part of its pages since it was built.</summary>
    public required long Checkpoints { get; init; }

    /// <summary>Its index; null before the first generation.</summary>
    public IndexFacts? Index { get; init; }

    /// <summary>The device that reads it; null while there is none.</summary>
    public string? Device { get; init; }

    /// <summary>Whether writes are being made part of the index.</summary>
    public required bool IsRebuilding { get; init; }

    public required bool IsReadOnly { get; init; }

    /// <summary>The error that made the set read-only; null for none.</summary>
    public string? WriteError { get; init; }

    /// <summary>Why maintenance failed; null if it did not.</summary>
    public string? MaintenanceError { get; init; }
}
