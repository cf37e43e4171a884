using System.Globalization;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Ablations;

/// <summary>The settings of a policy's knob, numbered so that a higher number gives higher recall.</summary>
/// <remarks>
/// List sizes and patiences are their own numbers. Other thresholds fall from 10 by an eighth per step: fine enough to interpolate recall
/// linearly.
/// </remarks>
internal sealed record KnobScale(SearchPolicy Policy, int K)
{
    private const double Largest = 10;
    private const double Step = 0.875;

    /// <summary>The setting of lowest recall.</summary>
    public int First => Range.First;

    /// <summary>The setting to try first.</summary>
    public int Start => Range.Start;

    /// <summary>The setting of highest recall.</summary>
    public int Last => Range.Last;

    private (int First, int Start, int Last) Range => Policy switch
    {
        SearchPolicy.List => (K, 2 * K, Math.Max(K, 4096)),
        SearchPolicy.Relaxed => (1, 4, 400),
        _ => (0, 34, 110),
    };

    private bool IsNumber => Policy is SearchPolicy.List or SearchPolicy.Relaxed;

    /// <summary>The search with a setting.</summary>
    public ReferenceSearch At(int number, ReferenceSearch common) => Policy == SearchPolicy.List
        ? common with { Policy = Policy, ListSize = number }
        : common with { Policy = Policy, Threshold = IsNumber ? number : (float)ValueOf(number) };

    /// <summary>The value of the knob between a setting and the next one.</summary>
    /// <param name="share">Position between them, 0 to 1.</param>
    public double Between(int number, double share) => IsNumber ? number + share : ValueOf(number + share);

    public string Show(double knob) => knob.ToString(Policy == SearchPolicy.List ? "L 0.#" : "G3", CultureInfo.InvariantCulture);

    private static double ValueOf(double number) => Largest * Math.Pow(Step, number);
}
