using System.Text.Json;
using VectorPipe.Server.Figures;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>The trace of a search in the reply of VSIM: fields and their values.</summary>
internal static class TraceReply
{
    private const double UsOfMs = 1000;

    // Other numbers are real, and of the same type in all events.
    private static readonly string[] _integers = ["page", "node", "count", "id", "pid", "tid"];

    public static void Write(RespWriter reply, SearchTrace trace, in SearchStatistics cost)
    {
        JsonElement document = TraceEvents.Of(trace);
        (string Name, long Value)[] numbers =
            [("reads", cost.Reads), ("rounds", cost.Rounds), ("hops", cost.Hops), ("cache-hits", cost.CacheHits)];
        (string Name, double Us)[] times = [("ms", cost.ElapsedUs), ("queue-ms", cost.QueueUs), ("compute-ms", cost.CpuUs)];
        reply.Map(numbers.Length + times.Length + 3);
        foreach ((string name, long value) in numbers)
        {
            reply.Simple(name);
            reply.Integer(value);
        }

        foreach ((string name, double us) in times)
        {
            reply.Simple(name);
            reply.Double(us / UsOfMs);
        }

        reply.Simple("ended-by");
        reply.Simple(cost.EndedBy.ToString());
        reply.Simple("settings");
        Write(reply, document.GetProperty("otherData"), isInteger: false);
        reply.Simple("events");
        Write(reply, document.GetProperty("traceEvents"), isInteger: false);
    }

    // Events are three levels deep, so that it ends.
    private static void Write(RespWriter reply, JsonElement value, bool isInteger)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.Object:
                reply.Map(value.GetPropertyCount());
                foreach (JsonProperty property in value.EnumerateObject())
                {
                    reply.Bulk(property.Name);
                    Write(reply, property.Value, _integers.Contains(property.Name));
                }

                break;
            case JsonValueKind.Array:
                reply.Array(value.GetArrayLength());
                foreach (JsonElement one in value.EnumerateArray())
                    Write(reply, one, isInteger);
                break;
            case JsonValueKind.Number when isInteger:
                reply.Integer(value.GetInt64());
                break;
            case JsonValueKind.Number:
                reply.Double(value.GetDouble());
                break;
            default:
                reply.Bulk(value.GetString()!);
                break;
        }
    }
}
