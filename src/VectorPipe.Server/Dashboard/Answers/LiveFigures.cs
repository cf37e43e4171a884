namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>What the server did in an interval, and its state at the end of it.</summary>
internal sealed record LiveFigures
{
    public required double Seconds { get; init; }

    public required double CommandsPerSecond { get; init; }

    /// <summary>Searches of clients that were answered; those of the dashboard do not count.</summary>
    public required double SearchesPerSecond { get; init; }

    /// <summary>Searches of clients that were refused, as too many waited.</summary>
    public required double RefusedPerSecond { get; init; }

    /// <summary>Null without a search; so are the percentiles.</summary>
    public double? ReadsPerSearch { get; init; }

    public double? P50Us { get; init; }

    public double? P99Us { get; init; }

    public double? P999Us { get; init; }

    public required int Connections { get; init; }

    /// <summary>Processors that were busy for the server.</summary>
    public required double Processors { get; init; }

    /// <summary>Resident memory.</summary>
    public required long MemoryBytes { get; init; }

    public required double UptimeSeconds { get; init; }
}
