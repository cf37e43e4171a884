using System.Text.Json;

namespace VectorPipe.Tool.Explaining;

/// <summary>What a query did when, as its trace tells. Immutable.</summary>
internal sealed class QueryTimeline
{
    private QueryTimeline(IReadOnlyList<TimelineRead> reads, JsonElement[] slices, IReadOnlyDictionary<string, double> settings)
    {
        Reads = reads;
        Computing = StretchesOf(slices, "Compute");
        Scoring = StretchesOf(slices, "TakeIn");
        Following = StretchesOf(slices, "Expand");
        Settings = settings;
    }

    /// <summary>The reads, in the order in which they were issued.</summary>
    public IReadOnlyList<TimelineRead> Reads { get; }

    /// <summary>All computing for the query.</summary>
    public IReadOnlyList<Stretch> Computing { get; }

    /// <summary>Parts of it: vectors or codes of a page were scored.</summary>
    public IReadOnlyList<Stretch> Scoring { get; }

    /// <summary>Parts of it: links of a vector were followed.</summary>
    public IReadOnlyList<Stretch> Following { get; }

    /// <summary>The settings of the query, given or chosen by the index, by the names of the trace.</summary>
    public IReadOnlyDictionary<string, double> Settings { get; }

    /// <summary>Reads the timeline of a query that was answered.</summary>
    public static QueryTimeline Of(SearchTrace trace)
    {
        using var stream = new MemoryStream();
        trace.WriteChromeTrace(stream);
        using var document = JsonDocument.Parse(stream.GetBuffer().AsMemory(0, (int)stream.Length));
        JsonElement[] events = [.. document.RootElement.GetProperty("traceEvents").EnumerateArray()];
        var settings = document.RootElement.GetProperty("otherData").EnumerateObject()
            .ToDictionary(setting => setting.Name, setting => setting.Value.GetDouble());
        return new QueryTimeline(ReadsOf(events), events, settings);
    }

    /// <summary>The reads in rows: those of a row do not overlap, and there are as many rows as reads were in flight at once.</summary>
    /// <param name="endUs">When the query was answered.</param>
    public IReadOnlyList<IReadOnlyList<TimelineRead>> Rows(double endUs)
    {
        List<List<TimelineRead>> rows = [];
        foreach (TimelineRead read in Reads)
        {
            List<TimelineRead>? row = rows.Find(row => (row[^1].ToUs ?? endUs) <= read.FromUs);
            if (row is null)
                rows.Add(row = []);
            row.Add(read);
        }

        return rows;
    }

    /// <summary>Microseconds of computing while a read was in flight.</summary>
    /// <param name="endUs">When the query was answered.</param>
    public double ComputingBesideReadsUs(double endUs) => Flights(endUs).Sum(flight => Computing.Sum(
        work => Math.Max(0, Math.Min(work.ToUs, flight.ToUs) - Math.Max(work.FromUs, flight.FromUs))));

    // The stretches with a read in flight, which do not overlap.
    private List<Stretch> Flights(double endUs)
    {
        List<Stretch> flights = [];
        foreach (TimelineRead read in Reads)
        {
            double to = read.ToUs ?? endUs;
            if (flights.Count > 0 && read.FromUs <= flights[^1].ToUs)
                flights[^1] = flights[^1] with { ToUs = Math.Max(to, flights[^1].ToUs) };
            else
                flights.Add(new Stretch(read.FromUs, to));
        }

        return flights;
    }

    private static Stretch[] StretchesOf(JsonElement[] events, string name) =>
    [
        .. events.Where(e => e.GetProperty("ph").ValueEquals("X") && e.GetProperty("name").ValueEquals(name))
            .Select(e => new Stretch(AtUs(e), AtUs(e) + e.GetProperty("dur").GetDouble())),
    ];

    // A read is an event that begins and, if it landed in time, one that ends right after it.
    private static List<TimelineRead> ReadsOf(JsonElement[] events)
    {
        List<TimelineRead> reads = [];
        foreach (JsonElement e in events)
        {
            if (e.GetProperty("ph").ValueEquals("b"))
                reads.Add(new TimelineRead(e.GetProperty("id").GetInt64(), AtUs(e), null));
            else if (e.GetProperty("ph").ValueEquals("e"))
                reads[^1] = reads[^1] with { ToUs = AtUs(e) };
        }

        return [.. reads.OrderBy(read => read.FromUs)];
    }

    private static double AtUs(JsonElement e) => e.GetProperty("ts").GetDouble();
}
