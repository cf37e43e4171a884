using System.Globalization;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Ablations;

/// <summary>The settings of a policy's knob, numbered: a higher number finds more.</summary>
/// <remarks>
/// List sizes and pages of patience are their own numbers. Other thresholds fall from 10 by an eighth a step, so that the recall between
/// two of them may be taken for a straight line.
/// </remarks>
/// <param name="Policy">The policy.</param>
/// <param name="K">Results of a query.</param>
internal sealed record KnobScale(SearchPolicy Policy, int K)
{
    private const double Largest = 10;
    private const double Step = 0.875;

    private const int MostPatience = 400;

    /// <summary>The setting that finds least.</summary>
    public int First => Policy switch
    {
        SearchPolicy.List => K,
        SearchPolicy.Relaxed => 1,
        _ => 0,
    };

    /// <summary>The setting that finds most.</summary>
    public int Last => Policy switch
    {
        SearchPolicy.List => Math.Max(K, 4096),
        SearchPolicy.Relaxed => MostPatience,
        _ => 110,
    };

    /// <summary>Where to begin.</summary>
    public int Start => Policy switch
    {
        SearchPolicy.List => 2 * K,
        SearchPolicy.Relaxed => 4,
        _ => 34,
    };

    private bool IsNumber => Policy is SearchPolicy.List or SearchPolicy.Relaxed;

    /// <summary>How a setting is searched.</summary>
    public ReferenceSearch At(int number, ReferenceSearch common) => Policy == SearchPolicy.List
        ? common with { Policy = Policy, ListSize = number }
        : common with { Policy = Policy, Threshold = IsNumber ? number : (float)ValueOf(number) };

    /// <summary>The knob between two neighbouring settings.</summary>
    /// <param name="number">The lower one.</param>
    /// <param name="share">How far on the way to the higher one, 0 to 1.</param>
    public double Between(int number, double share) => IsNumber ? number + share : ValueOf(number + share);

    /// <summary>A knob as a user sees it.</summary>
    public string Show(double knob) =>
        Policy == SearchPolicy.List
        ? knob.ToString("L 0.#", CultureInfo.InvariantCulture)
        : knob.ToString("G3", CultureInfo.InvariantCulture);

    private static double ValueOf(double number) => Largest * Math.Pow(Step, number);
}
