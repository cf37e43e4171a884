using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using VectorPipe.Server.Dashboard.Answers;

namespace VectorPipe.Server.Dashboard;

/// <summary>How queries are read and answers are written.</summary>
[JsonSerializable(typeof(SearchQuery))]
[JsonSerializable(typeof(ErrorAnswer))]
[JsonSerializable(typeof(ElementAnswer))]
[JsonSerializable(typeof(SetsAnswer))]
[JsonSerializable(typeof(ClusterAnswer))]
[JsonSerializable(typeof(SearchAnswer))]
[JsonSerializable(typeof(CurveAnswer))]
[JsonSerializable(typeof(TraceAnswer))]
[JsonSerializable(typeof(LiveFigures))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
internal sealed partial class DashboardJson : JsonSerializerContext
{
    /// <summary>Escapes what JSON must escape, and no more: answers are never part of a page.</summary>
    /// <remarks>Made at the first use: the initializer of the default may run later than one that stands here.</remarks>
    public static DashboardJson Readable =>
        field ??= new(new JsonSerializerOptions(Default.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
