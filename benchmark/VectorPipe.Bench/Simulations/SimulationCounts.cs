using System.Text.Json.Nodes;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Simulations;

/// <summary>What a simulation counts, from the end of its first second on. Not thread-safe.</summary>
/// <param name="from">When it begins to count.</param>
/// <param name="failure">When the first node fails; null if none does.</param>
internal sealed class SimulationCounts(TimeSpan from, TimeSpan? failure)
{
    private static readonly TimeSpan _firstSecond = TimeSpan.FromSeconds(1);

    /// <summary>From the search to its answer.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>Of reads that were passed on.</summary>
    public LatencyHistogram PassedOn { get; } = new();

    /// <summary>Of searches that came in the second after the failure.</summary>
    public LatencyHistogram AfterFailure { get; } = new();

    /// <summary>Searches that came.</summary>
    public long Offered { get; private set; }

    /// <summary>Searches that came in the second after the failure, and failed.</summary>
    public long FailedFirst { get; private set; }

    /// <summary>Others that failed.</summary>
    public long FailedLater { get; private set; }

    /// <summary>Calls to other nodes.</summary>
    public long Calls { get; private set; }

    /// <summary>Calls to a second node because the first one was late.</summary>
    public long Hedges { get; private set; }

    /// <summary>Length of the time that was counted.</summary>
    public TimeSpan Length { get; private set; }

    /// <summary>Work of the busiest node against the mean of all; 0 if none worked.</summary>
    public double Busiest { get; private set; }

    public double OfferedPerSecond => Offered / Length.TotalSeconds;

    public double AnsweredPerSecond => Latencies.Count / Length.TotalSeconds;

    /// <summary>Calls to second nodes for each read that was passed on.</summary>
    public double MoreCalls => PassedOn.Count == 0 ? 0 : (double)Hedges / PassedOn.Count;

    public void CountOffered(TimeSpan came) => Offered += came >= from ? 1 : 0;

    public void CountEnd(TimeSpan came, TimeSpan now, bool isAnswered)
    {
        if (now < from)
            return;
        bool isFirst = failure is { } at && came >= at && came < at + _firstSecond;
        if (isAnswered)
            Latencies.Record(Ns(now - came));
        if (isAnswered && isFirst)
            AfterFailure.Record(Ns(now - came));
        FailedFirst += !isAnswered && isFirst ? 1 : 0;
        FailedLater += !isAnswered && !isFirst ? 1 : 0;
    }

    public void CountPassedOn(TimeSpan began, TimeSpan now, int calls)
    {
        if (now < from)
            return;
        PassedOn.Record(Ns(now - began));
        Calls += calls;
    }

    /// <summary>Ends the counting.</summary>
    public void End(TimeSpan length, long hedges, IReadOnlyCollection<double> worked)
    {
        (Length, Hedges) = (length, hedges);
        Busiest = worked.Sum() > 0 ? worked.Max() / worked.Average() : 0;
    }

    /// <summary>The columns of JSON.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("offered_per_second", OfferedPerSecond),
        new("answered_per_second", AnsweredPerSecond),
        .. Latencies.ToColumns(),
        new("passed_on", PassedOn.Count),
        new("passed_on_p50_us", PassedOn.PercentileNs(0.5) / 1e3),
        new("passed_on_p99_us", PassedOn.PercentileNs(0.99) / 1e3),
        new("first_second_p99_us", AfterFailure.Count == 0 ? null : AfterFailure.PercentileNs(0.99) / 1e3),
        new("failed_first_second", FailedFirst),
        new("failed_later", FailedLater),
        new("calls", Calls),
        new("hedges", Hedges),
        new("more_calls", MoreCalls),
        new("busiest_to_mean", Busiest),
    ];

    private static long Ns(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;
}
