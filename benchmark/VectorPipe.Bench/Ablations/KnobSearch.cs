namespace VectorPipe.Bench.Ablations;

/// <summary>
/// Turns a knob until a recall is reached. Every setting is measured once, whatever recalls are asked for. Not thread-safe.
/// </summary>
/// <param name="scale">The settings.</param>
/// <param name="recallOf">Measures the recall of a setting; more at a higher one, but for what the order of reads does to it.</param>
internal sealed class KnobSearch(KnobScale scale, Func<int, double> recallOf)
{
    private readonly Dictionary<int, double> _recalls = [];

    /// <summary>Finds neighbouring settings of which the lower one finds less than is asked for, and the higher one as much.</summary>
    /// <param name="recall">The recall, 0 to 1.</param>
    /// <returns>The two; the same twice if the least setting finds as much already, or if the most finds less.</returns>
    public (int Lower, int Upper) Bracket(double recall)
    {
        int low = scale.Start, high = scale.Start;
        for (int step = 2; low > scale.First && Recall(low) >= recall; step *= 2)
            (low, high) = (Math.Max(scale.First, low - step), low);
        if (Recall(low) >= recall)
            return (low, low);
        for (int step = 2; high < scale.Last && Recall(high) < recall; step *= 2)
            (low, high) = (high, Math.Min(scale.Last, high + step));
        if (Recall(high) < recall)
            return (high, high);
        while (high - low > 1)
        {
            int middle = (low + high) / 2;
            if (Recall(middle) >= recall)
                high = middle;
            else
                low = middle;
        }

        return (low, high);
    }

    private double Recall(int number)
    {
        if (!_recalls.TryGetValue(number, out double recall))
            _recalls.Add(number, recall = recallOf(number));
        return recall;
    }
}
