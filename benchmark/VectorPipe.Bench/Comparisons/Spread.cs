namespace VectorPipe.Bench.Comparisons;

/// <summary>A figure of the runs of a side.</summary>
/// <param name="Runs">The runs that have it.</param>
/// <param name="Median">Of an even number of runs, the mean of the two in the middle.</param>
internal sealed record Spread(int Runs, double Median, double Least, double Most)
{
    /// <summary>Creates the spread of values; null for none.</summary>
    public static Spread? Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0)
            return null;
        int middle = sorted.Length / 2;
        double median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted.Length, median, sorted[0], sorted[^1]);
    }

    /// <summary>Whether the difference to another side is more than its spread; null where a side has no two runs.</summary>
    public bool? IsApart(Spread other) => Runs < 2 || other.Runs < 2 ? null : Most < other.Least || other.Most < Least;
}
