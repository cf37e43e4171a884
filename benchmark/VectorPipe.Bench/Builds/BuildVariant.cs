using VectorPipe.Bench.Commands;

namespace VectorPipe.Bench.Builds;

/// <summary>One combination of what builds differ in.</summary>
/// <param name="Kind">The kind of index as the user wrote it.</param>
/// <param name="Algorithm">The algorithm of a graph as the user wrote it; null for lists.</param>
/// <param name="Layout">The layout of a graph as the user wrote it; null for lists.</param>
/// <param name="Code">The kind of codes as the user wrote it; null for lists without codes.</param>
/// <param name="Threads">Threads of the build.</param>
/// <param name="MemoryMb">MiB that the build may take; 0 for no bound.</param>
internal sealed record BuildVariant(string Kind, string? Algorithm, string? Layout, string? Code, int Threads, int MemoryMb)
{
    /// <summary>Whether it is an index of lists.</summary>
    public bool IsLists => Choices.Kind(Kind) == IndexKind.Ivf;

    /// <summary>The variant in a word.</summary>
    public string Label => $"{(IsLists ? $"{Kind}{(Code is null ? "" : $"-{Code}")}" : $"{Algorithm}{(Layout == "plain" ? "" : $"-{Layout}")}{(Code == "pq" ? "" : $"-{Code}")}")}-{Threads}t{(MemoryMb == 0 ? "" : $"-{MemoryMb}MiB")}";

    /// <summary>How it is built.</summary>
    public BuildOptions ToOptions(BuildBenchArguments arguments)
    {
        BuildOptions options = IsLists
            ? arguments.ToListOptions(Code ?? "pq")
            : arguments.ToBuildOptions(Choices.Layout(Layout!), Code!) with
            {
                Algorithm = Choices.Algorithm(Algorithm!),
                MaxDegree = arguments.Degree,
                ListSize = arguments.BuildListSize,
                Alpha = arguments.Alpha,
            };
        return options with { MemoryBudget = MemoryMb == 0 ? null : (long)MemoryMb << 20, Threads = Threads };
    }
}
