using System.Diagnostics;
using System.Text.Json;
using VectorPipe.Model.Search;

namespace VectorPipe;

/// <summary>Records the events of one query for a trace viewer.</summary>
/// <remarks>Serves one query at a time; a second query that uses it clears it. Read it after the query was answered.</remarks>
public sealed class SearchTrace
{
    private readonly List<SearchTraceEvent> _events = [];
    private readonly Dictionary<long, long> _issuedAt = [];
    private readonly List<KeyValuePair<string, double>> _choices = [];
    private long _start;

    /// <summary>The events, in the order in which they were recorded.</summary>
    internal IReadOnlyList<SearchTraceEvent> Events => _events;

    internal void Begin(long start)
    {
        _events.Clear();
        _issuedAt.Clear();
        _choices.Clear();
        _start = start;
    }

    /// <summary>A setting of the query, given or chosen by the index.</summary>
    internal void Chose(string setting, double value) => _choices.Add(new(setting, value));

    internal void Add(SearchTraceKind kind, long from, long to, long page = -1, long node = -1, float value = 0, int count = 0) =>
        _events.Add(new SearchTraceEvent(kind, ToUs(from - _start), ToUs(to - from), page, node, value, count));

    /// <summary>A read of a page was issued.</summary>
    internal void Issued(long at, long page, int inFlight)
    {
        _issuedAt[page] = at;
        Add(SearchTraceKind.Submit, at, at, page, count: inFlight);
    }

    /// <summary>The read of a page completed.</summary>
    internal void Landed(long at, long page) =>
        Add(SearchTraceKind.Complete, _issuedAt.Remove(page, out long issuedAt) ? issuedAt : at, at, page);

    /// <summary>Writes the events in the Chrome trace event format (JSON), for chrome://tracing, Perfetto and the like.</summary>
    /// <param name="stream">Receives the document.</param>
    /// <remarks>
    /// <para>Reads appear as overlapping asynchronous slices above the thread's own work, so that overlap can be seen. The slice of a read
    /// that the answer did not wait for has no end.</para>
    /// <para>The member otherData holds the settings of the query, those that the index chose among them.</para>
    /// </remarks>
    public void WriteChromeTrace(Stream stream)
    {
        using var json = new Utf8JsonWriter(stream);
        json.WriteStartObject();
        json.WriteStartArray("traceEvents");
        foreach (SearchTraceEvent e in _events)
            WriteEvent(json, e);
        foreach ((long page, long at) in _issuedAt)
            WriteSlice(json, new SearchTraceEvent(SearchTraceKind.Complete, ToUs(at - _start), 0, page, -1, 0, 0), "b", ToUs(at - _start));
        json.WriteEndArray();
        json.WriteStartObject("otherData");
        foreach ((string setting, double value) in _choices)
            json.WriteNumber(setting, value);
        json.WriteEndObject();
        json.WriteString("displayTimeUnit", "ns");
        json.WriteEndObject();
    }

    private static void WriteEvent(Utf8JsonWriter json, SearchTraceEvent e)
    {
        if (e.Kind == SearchTraceKind.Submit)
            return;
        if (e.Kind == SearchTraceKind.Complete)
        {
            WriteSlice(json, e, "b", e.AtUs);
            WriteSlice(json, e, "e", e.AtUs + e.DurationUs);
            return;
        }

        WriteSlice(json, e, e.DurationUs > 0 ? "X" : "i", e.AtUs);
    }

    private static void WriteSlice(Utf8JsonWriter json, SearchTraceEvent e, string phase, double atUs)
    {
        bool read = e.Kind == SearchTraceKind.Complete;
        json.WriteStartObject();
        json.WriteString("name", read ? "read" : e.Kind.ToString());
        json.WriteString("cat", read ? "io" : "cpu");
        json.WriteString("ph", phase);
        json.WriteNumber("ts", atUs);
        json.WriteNumber("pid", 1);
        json.WriteNumber("tid", 1);
        if (phase == "X")
            json.WriteNumber("dur", e.DurationUs);
        if (read)
            json.WriteNumber("id", e.Page);
        if (phase == "i")
            json.WriteString("s", "t");
        json.WriteStartObject("args");
        json.WriteNumber("page", e.Page);
        json.WriteNumber("node", e.Node);
        json.WriteNumber("value", float.IsFinite(e.Value) ? e.Value : 0);
        json.WriteNumber("count", e.Count);
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static double ToUs(long ticks) => ticks * (1_000_000.0 / Stopwatch.Frequency);
}
