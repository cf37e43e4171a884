namespace VectorPipe.Bench.Ablations;

/// <summary>Turns a knob until a recall is reached. Measures every setting at most once. Not thread-safe.</summary>
/// <param name="recallOf">Measures the recall of a setting. It rises with the setting, but for the effect of the order of reads.</param>
internal sealed class KnobSearch(KnobScale scale, Func<int, double> recallOf)
{
    private readonly Dictionary<int, double> _recalls = [];

    /// <summary>Finds two neighbouring settings: the lower one misses a recall (0 to 1), the upper one reaches it.</summary>
    /// <returns>The two; the same twice if the first setting reaches the recall, or the last one misses it.</returns>
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
