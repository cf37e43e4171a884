using System.Globalization;

namespace VectorPipe.Bench.Simulations;

/// <summary>What happens to a node. Immutable.</summary>
/// <param name="Kind">kill, stop, slow or late.</param>
/// <param name="Node">Number of the node, from 0.</param>
/// <param name="First">kill, stop: when, in seconds. slow: how many times as long its work takes. late: by how many milliseconds.</param>
/// <param name="Second">stop: the second at which it goes on. late: the percentage of its answers.</param>
internal sealed record PlannedFailure(string Kind, int Node, double First, double Second)
{
    private static readonly Dictionary<string, int> _numbers = new() { ["kill"] = 2, ["stop"] = 3, ["slow"] = 2, ["late"] = 3 };

    /// <summary>When the node fails; null if it only is slower than others.</summary>
    public TimeSpan? At => Kind is "kill" or "stop" ? TimeSpan.FromSeconds(First) : null;

    /// <summary>Reads one, as in stop:0:5:15.</summary>
    /// <exception cref="UsageException">It is none.</exception>
    public static PlannedFailure Parse(string text)
    {
        string[] parts = text.Split(':');
        double[] numbers = [.. parts.Skip(1).Select(part =>
            double.TryParse(part, NumberStyles.Float, CultureInfo.InvariantCulture, out double number) && number >= 0 ? number : -1)];
        bool isRight = _numbers.TryGetValue(parts[0], out int count) && numbers.Length == count && !numbers.Contains(-1)
            && numbers[0] == Math.Floor(numbers[0]) && (parts[0] != "stop" || numbers[2] > numbers[1]);
        return isRight
            ? new PlannedFailure(parts[0], (int)numbers[0], numbers[1], numbers.ElementAtOrDefault(2))
            : throw new UsageException(
                $"--failures: expected kill:NODE:S, stop:NODE:S:S, slow:NODE:FACTOR or late:NODE:MS:PERCENT; found '{text}'.");
    }

    /// <summary>Has it happen.</summary>
    public void Plan(SimulatedClock clock, SimulatedNode node)
    {
        switch (Kind)
        {
            case "kill":
                clock.After(TimeSpan.FromSeconds(First), node.Kill);
                break;
            case "stop":
                clock.After(TimeSpan.FromSeconds(First), node.Stop);
                clock.After(TimeSpan.FromSeconds(Second), node.Resume);
                break;
            case "slow":
                node.Factor = First;
                break;
            default:
                (node.Late, node.LateShare) = (TimeSpan.FromMilliseconds(First), Second / 100);
                break;
        }
    }
}
