using System.Globalization;

namespace VectorPipe.Measuring.Charts;

/// <summary>The axis of a chart: a range of values with ticks at round numbers. Immutable.</summary>
internal sealed class Axis
{
    private const int WantedTicks = 6;

    private readonly bool _isLog;
    private readonly double _min;
    private readonly double _max;

    private Axis(string label, bool isLog, double min, double max, IReadOnlyList<double> ticks)
    {
        Label = label;
        _isLog = isLog;
        _min = min;
        _max = max;
        Ticks = ticks;
    }

    /// <summary>The label, with the unit.</summary>
    public string Label { get; }

    /// <summary>Values of the ticks, ascending; the first and the last are the ends of the axis.</summary>
    public IReadOnlyList<double> Ticks { get; }

    /// <summary>A linear axis around values, in steps of 1, 2 or 5 times a power of ten.</summary>
    /// <param name="fromZero">Whether to include zero, so that lengths can be compared.</param>
    /// <param name="wholeNumbers">Whether to mark whole numbers only.</param>
    public static Axis Linear(string label, IEnumerable<double> values, bool fromZero, bool wholeNumbers = false)
    {
        (double least, double greatest) = RangeOf(values, fallback: 0);
        if (fromZero)
            (least, greatest) = (Math.Min(least, 0), Math.Max(greatest, 0));
        if (greatest <= least)
            greatest = least + Math.Max(Math.Abs(least), 1);
        double step = RoundStep((greatest - least) / (WantedTicks - 1));
        if (wholeNumbers)
            step = Math.Max(step, 1);
        double first = Math.Floor((least / step) + 1e-9);
        double last = Math.Ceiling((greatest / step) - 1e-9);
        List<double> ticks = [];
        for (double i = first; i <= last; i++)
            ticks.Add(i * step);
        return new Axis(label, isLog: false, ticks[0], ticks[^1], ticks);
    }

    /// <summary>A logarithmic axis around the positive values, with ticks at powers of ten, and at 2 and 5 times them if short.</summary>
    public static Axis Log(string label, IEnumerable<double> values)
    {
        (double least, double greatest) = RangeOf(values.Where(value => value > 0), fallback: 1);
        double[] steps = greatest / least > 1e4 ? [1] : [1, 2, 5];
        List<double> all = [];
        for (double exponent = Math.Floor(Math.Log10(least)) - 1; exponent <= Math.Log10(greatest) + 1; exponent++)
            all.AddRange(steps.Select(step => step * Math.Pow(10, exponent)));
        int first = all.FindLastIndex(tick => tick <= least * (1 + 1e-9));
        int last = all.FindIndex(tick => tick >= greatest * (1 - 1e-9));
        if (last <= first)
            last = first + 1;
        return new Axis(label, isLog: true, all[first], all[last], all[first..(last + 1)]);
    }

    /// <summary>The position of a value: 0 at the beginning of the axis, 1 at the end.</summary>
    public double PositionOf(double value) =>
        _isLog ? Math.Log(value / _min) / Math.Log(_max / _min) : (value - _min) / (_max - _min);

    /// <summary>The text of a tick, in thousands (k) or millions (M) on long axes.</summary>
    public string Format(double tick) => Math.Max(Math.Abs(_min), Math.Abs(_max)) switch
    {
        _ when tick == 0 => "0",
        >= 1e6 when !_isLog || tick >= 1e6 => Shorten(tick / 1e6) + "M",
        >= 1e4 when !_isLog || tick >= 1e4 => Shorten(tick / 1e3) + "k",
        _ => Shorten(tick),
    };

    private static string Shorten(double value) => value.ToString("0.######", CultureInfo.InvariantCulture);

    private static (double Least, double Greatest) RangeOf(IEnumerable<double> values, double fallback)
    {
        double[] finite = [.. values.Where(double.IsFinite)];
        return finite.Length == 0 ? (fallback, fallback) : (finite.Min(), finite.Max());
    }

    private static double RoundStep(double step)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(step)));
        double lead = step / power;
        return power * (lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10);
    }
}
