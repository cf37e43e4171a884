using VectorPipe.Bench.Commands;

namespace VectorPipe.Bench.Builds;

/// <summary>One combination of what builds differ in.</summary>
/// <param name="Algorithm">The algorithm as the user wrote it.</param>
/// <param name="Threads">Threads of the build.</param>
/// <param name="MemoryMb">MiB that the build may take; 0 for no bound.</param>
internal sealed record BuildVariant(string Algorithm, int Threads, int MemoryMb)
{
    /// <summary>The variant in a word.</summary>
    public string Label => $"{Algorithm}-{Threads}t{(MemoryMb == 0 ? "" : $"-{MemoryMb}MiB")}";

    /// <summary>How it is built.</summary>
    public BuildOptions ToOptions(BuildBenchArguments arguments) => new()
    {
        Metric = Choices.Metric(arguments.MetricName),
        Algorithm = Choices.Algorithm(Algorithm),
        Layout = IndexLayout.Plain,
        MaxDegree = arguments.Degree,
        ListSize = arguments.BuildListSize,
        Alpha = arguments.Alpha,
        CodeBytes = arguments.CodeBytes,
        MemoryBudget = MemoryMb == 0 ? null : (long)MemoryMb << 20,
        Threads = Threads,
        Seed = arguments.Seed,
    };
}
