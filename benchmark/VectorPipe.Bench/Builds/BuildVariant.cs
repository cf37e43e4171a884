using VectorPipe.Bench.Commands;

namespace VectorPipe.Bench.Builds;

/// <summary>One combination of what builds differ in.</summary>
/// <param name="Algorithm">The algorithm as the user wrote it.</param>
/// <param name="Layout">The layout as the user wrote it.</param>
/// <param name="Code">The kind of codes as the user wrote it.</param>
/// <param name="Threads">Threads of the build.</param>
/// <param name="MemoryMb">MiB that the build may take; 0 for no bound.</param>
internal sealed record BuildVariant(string Algorithm, string Layout, string Code, int Threads, int MemoryMb)
{
    /// <summary>The variant in a word.</summary>
    public string Label => $"{Algorithm}{(Layout == "plain" ? "" : $"-{Layout}")}{(Code == "pq" ? "" : $"-{Code}")}-{Threads}t{(MemoryMb == 0 ? "" : $"-{MemoryMb}MiB")}";

    /// <summary>How it is built.</summary>
    public BuildOptions ToOptions(BuildBenchArguments arguments) => arguments.ToBuildOptions(Choices.Layout(Layout), Code) with
    {
        Algorithm = Choices.Algorithm(Algorithm),
        MaxDegree = arguments.Degree,
        ListSize = arguments.BuildListSize,
        Alpha = arguments.Alpha,
        MemoryBudget = MemoryMb == 0 ? null : (long)MemoryMb << 20,
        Threads = Threads,
    };
}
