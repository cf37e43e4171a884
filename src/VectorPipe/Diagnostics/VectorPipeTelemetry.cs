namespace VectorPipe;

/// <summary>Names by which OpenTelemetry, or any listener, finds the metrics and traces of indexes and collections.</summary>
/// <remarks>
/// docs/telemetry.md lists them. Without a listener they cost nothing: no operation is timed, and nothing is allocated.
/// </remarks>
public static class VectorPipeTelemetry
{
    /// <summary>Name of the meter.</summary>
    public const string MeterName = "VectorPipe";

    /// <summary>Name of the activity source.</summary>
    public const string ActivitySourceName = "VectorPipe";
}
