using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>One combination of the options that a sweep varies.</summary>
internal sealed record SearchCell(string Mode, int Threads, SearchSetting Setting)
{
    public SearchOptions Options => Setting.Options;

    public string Knob => Setting.Knob;
}
