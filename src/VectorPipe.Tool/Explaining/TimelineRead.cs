namespace VectorPipe.Tool.Explaining;

/// <summary>A read of a query: microseconds since the query was accepted.</summary>
/// <param name="Page">The page, or the first one of several.</param>
/// <param name="ToUs">When it landed; null if the answer did not wait for it.</param>
internal readonly record struct TimelineRead(long Page, double FromUs, double? ToUs)
{
    /// <summary>Microseconds from submission to completion; null if the answer did not wait for it.</summary>
    public double? TimeUs => ToUs - FromUs;
}
