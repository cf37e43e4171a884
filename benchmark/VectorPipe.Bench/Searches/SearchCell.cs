using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>One combination of what a sweep varies.</summary>
/// <param name="Mode">The mode as the user wrote it.</param>
/// <param name="Threads">Run threads.</param>
/// <param name="Setting">How each query is searched.</param>
internal sealed record SearchCell(string Mode, int Threads, SearchSetting Setting)
{
    /// <summary>How each query is searched.</summary>
    public SearchOptions Options => Setting.Options;

    /// <summary>The policy's knob.</summary>
    public string Knob => Setting.Knob;
}
