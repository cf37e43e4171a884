using System.Globalization;

namespace VectorPipe.Bench.Simulations;

/// <summary>How long searches take on a node that is otherwise idle: measured durations, or some of their percentiles. Immutable.</summary>
internal sealed class ServiceTimes
{
    private const string Option = "--service-us";
    private const char Mark = ':';

    private readonly (double Share, double Us)[] _points;

    private ServiceTimes((double Share, double Us)[] points)
    {
        _points = points;

        // Between two points the durations are spread evenly.
        for (int i = 1; i < points.Length; i++)
            MeanUs += (points[i].Share - points[i - 1].Share) * (points[i].Us + points[i - 1].Us) / 2;
    }

    public double MeanUs { get; }

    /// <summary>Reads percentiles, as in 0:400,50:900,100:5000, or a file of durations, one a line. All are microseconds.</summary>
    /// <exception cref="UsageException">It is neither.</exception>
    public static ServiceTimes Parse(string text)
    {
        if (text.Contains(Mark, StringComparison.Ordinal) && !File.Exists(text))
            return OfPercentiles(text);
        double[] us = [.. File.ReadLines(text).Where(line => line.Length > 0).Select(line => Number(line, line))];
        UsageException.Require(us.Length >= 2, Option, $"a file of {us.Length} durations", "two or more");
        Array.Sort(us);
        return new ServiceTimes([.. us.Select((one, at) => ((double)at / (us.Length - 1), one))]);
    }

    /// <summary>The duration that a share of all searches does not exceed.</summary>
    /// <param name="share">0 to 1.</param>
    public TimeSpan Of(double share)
    {
        int low = 0, high = _points.Length - 1;
        while (high - low > 1)
        {
            int middle = (low + high) / 2;
            (low, high) = _points[middle].Share <= share ? (middle, high) : (low, middle);
        }

        (double from, double fromUs) = _points[low];
        (double to, double toUs) = _points[high];
        return TimeSpan.FromMicroseconds(fromUs + ((toUs - fromUs) * (share - from) / (to - from)));
    }

    private static ServiceTimes OfPercentiles(string text)
    {
        (double Share, double Us)[] points =
        [
            .. text.Split(',').Select(part => part.Split(Mark)).Select(pair => pair.Length == 2
                ? (Number(pair[0], text) / 100, Number(pair[1], text))
                : throw Expected(text)),
        ];
        bool isRising = points.Zip(points.Skip(1)).All(two => two.First.Share < two.Second.Share && two.First.Us <= two.Second.Us);
        return points is [(0, _), .., (1, _)] && isRising ? new ServiceTimes(points) : throw Expected(text);
    }

    private static double Number(string number, string text) =>
        double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) && value >= 0
            ? value
            : throw Expected(text);

    private static UsageException Expected(string text) =>
        new($"{Option}: expected rising percentiles, as in 0:400,50:900,100:5000, or a file of durations; found '{text}'.");
}
