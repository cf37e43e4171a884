using System.Globalization;
using VectorPipe.Searching;

namespace VectorPipe.Bench.Ablations;

/// <summary>The settings of a policy's knob, numbered: a higher number finds more.</summary>
/// <remarks>List sizes are their own numbers. Thresholds fall from 10 by an eighth a step, so that the recall between two of them may be taken for a straight line.</remarks>
/// <param name="Policy">List, gain or ratio.</param>
/// <param name="K">Results of a query.</param>
internal sealed record KnobScale(SearchPolicy Policy, int K)
{
    private const double Largest = 10;
    private const double Step = 0.875;

    /// <summary>The setting that finds least.</summary>
    public int First => Policy == SearchPolicy.List ? K : 0;

    /// <summary>The setting that finds most.</summary>
    public int Last => Policy == SearchPolicy.List ? Math.Max(K, 4096) : 110;

    /// <summary>Where to begin.</summary>
    public int Start => Policy == SearchPolicy.List ? 2 * K : 34;

    /// <summary>How a setting is searched.</summary>
    public SearchOptions At(int number, SearchOptions common) => Policy == SearchPolicy.List
        ? common with { Policy = Policy, ListSize = number }
        : common with { Policy = Policy, Threshold = (float)ValueOf(number) };

    /// <summary>The knob between two neighbouring settings.</summary>
    /// <param name="number">The lower one.</param>
    /// <param name="share">How far on the way to the higher one, 0 to 1.</param>
    public double Between(int number, double share) => Policy == SearchPolicy.List ? number + share : ValueOf(number + share);

    /// <summary>A knob as a user sees it.</summary>
    public string Show(double knob) => Policy == SearchPolicy.List ? knob.ToString("L 0.#", CultureInfo.InvariantCulture) : knob.ToString("G3", CultureInfo.InvariantCulture);

    private static double ValueOf(double number) => Largest * Math.Pow(Step, number);
}
