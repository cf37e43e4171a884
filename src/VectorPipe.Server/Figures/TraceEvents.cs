using System.Buffers;
using System.Text.Json;

namespace VectorPipe.Server.Figures;

/// <summary>The events of a search as the server gives them, over HTTP and to clients of Redis alike.</summary>
internal static class TraceEvents
{
    /// <summary>The events, in the trace event format of Chrome, which Perfetto reads.</summary>
    /// <returns>An object with the events (traceEvents) and the settings of the search (otherData).</returns>
    public static JsonElement Of(SearchTrace trace)
    {
        using var stream = new MemoryStream();
        trace.WriteChromeTrace(stream);
        var bytes = new ReadOnlySequence<byte>(stream.GetBuffer(), 0, (int)stream.Length);
        using JsonDocument document = JsonDocument.Parse(bytes);
        return document.RootElement.Clone();
    }
}
