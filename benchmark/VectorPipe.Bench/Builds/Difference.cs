namespace VectorPipe.Bench.Builds;

/// <summary>How far a figure is from that of the first variant.</summary>
internal static class Difference
{
    /// <summary>In per cent of the first; null if that is nothing, or unknown.</summary>
    public static double? Percent(double value, double? first) => first is null or 0 ? null : 100 * (value - first) / first;

    /// <summary>Of two shares, in percentage points; null if one is unknown.</summary>
    public static double? Points(double? value, double? first) => 100 * (value - first);

    /// <summary>As a user sees it: with its sign.</summary>
    /// <param name="difference">The difference; null if there is none to speak of.</param>
    /// <param name="decimals">Digits behind the point.</param>
    public static string Format(double? difference, int decimals = 1) => difference is not { } value ? "-"
        : decimals == 1 ? $"{value:+0.0;-0.0;0.0}"
        : $"{value:+0.00;-0.00;0.00}";
}
