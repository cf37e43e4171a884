using System.Globalization;

namespace VectorPipe.TestHost;

/// <summary>How much smaller and shorter than a page says a test runs its commands: the only place that changes what is printed.</summary>
internal static class PageSizes
{
    // Options with the most that a test gives them; each number of a list counts on its own.
    private static readonly Dictionary<string, double> _most = new()
    {
        ["--points"] = 1200,
        ["-n"] = 1000,
        ["--dimension"] = 384,
        ["--dim"] = 32,
        ["--queries"] = 100,
        ["--runsec"] = 0.1,
        ["--data-mb"] = 4,
        ["--iterations"] = 1,
        ["--rows"] = 20_000,
        ["--batch-mb"] = 1,
        ["--bursts"] = 5,
        ["--callers"] = 5000,
        ["--collections"] = 5,
        ["--passes"] = 1,
    };

    /// <summary>The arguments with the numbers of these options bounded.</summary>
    public static string[] Reduce(IReadOnlyList<string> arguments) =>
    [
        .. arguments.Select((argument, at) => at > 0 && _most.TryGetValue(arguments[at - 1], out double most)
            ? string.Join(',', argument.Split(',').Select(number => Bound(number, most)))
            : argument),
    ];

    private static string Bound(string number, double most) =>
        Math.Min(most, double.Parse(number, CultureInfo.InvariantCulture)).ToString(CultureInfo.InvariantCulture);
}
