using System.Text.Json;

namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>What a search did when.</summary>
/// <param name="Count">Elements that it looked for: more than hits beside a filter, which looks at them.</param>
/// <param name="Trace">Its events, in the trace event format of Chrome, which Perfetto reads.</param>
internal sealed record TraceAnswer(int Count, float TargetRecall, SearchCost Cost, JsonElement Trace);
