namespace VectorPipe.Bench.Builds;

/// <summary>The difference of a figure from the first variant's.</summary>
internal static class Difference
{
    /// <summary>In per cent of the first; null if that is 0 or unknown.</summary>
    public static double? Percent(double value, double? first) => first is null or 0 ? null : 100 * (value - first) / first;

    /// <summary>Of two shares, in percentage points; null if one is unknown.</summary>
    public static double? Points(double? value, double? first) => 100 * (value - first);

    /// <summary>The difference with its sign and one or two decimals; a dash for null.</summary>
    public static string Format(double? difference, int decimals = 1) =>
        difference is not { } value ? "-" : decimals == 1 ? $"{value:+0.0;-0.0;0.0}" : $"{value:+0.00;-0.00;0.00}";
}
