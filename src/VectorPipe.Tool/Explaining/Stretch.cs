namespace VectorPipe.Tool.Explaining;

/// <summary>A stretch of time: microseconds since a query was accepted.</summary>
internal readonly record struct Stretch(double FromUs, double ToUs)
{
    public double LengthUs => ToUs - FromUs;
}
