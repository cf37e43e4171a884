using VectorPipe.Measuring.Searches;
using VectorPipe.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>One combination of what a sweep varies.</summary>
/// <param name="Mode">The mode as the user wrote it.</param>
/// <param name="Threads">Run threads.</param>
/// <param name="Options">How each query is searched.</param>
internal sealed record SearchCell(string Mode, int Threads, SearchOptions Options)
{
    /// <summary>The policy's knob.</summary>
    public string Knob => SearchSettings.Knob(Options);
}
