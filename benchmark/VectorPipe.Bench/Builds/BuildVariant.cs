using VectorPipe.Bench.Commands;
using VectorPipe.Building.Graphs;
using VectorPipe.Reference.Vamana;

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
    public string Label
    {
        get
        {
            string code = Code is null ? "" : $"-{Code}";
            string way = IsLists
                ? $"{Kind}{code}"
                : $"{Algorithm}{(Layout == "plain" ? "" : $"-{Layout}")}{(Code == "pq" ? "" : code)}";
            return $"{way}-{Threads}t{(MemoryMb == 0 ? "" : $"-{MemoryMb}MiB")}";
        }
    }

    /// <summary>Makes the graph; null for the way of the library.</summary>
    public IGraphBuilder? GraphBuilder => Algorithm == "vamana" ? new VamanaBuilder() : null;

    /// <summary>How it is built.</summary>
    /// <param name="arguments">The options.</param>
    /// <param name="type">Type of the vectors' components.</param>
    public BuildOptions ToOptions(BuildBenchArguments arguments, VectorElementType type)
    {
        BuildOptions options = IsLists
            ? arguments.ToListOptions(Code ?? "opq", type)
            : arguments.ToBuildOptions(TuningChoices.Layout(Layout!), Code!, type);
        if (!IsLists)
        {
            options = options with
            {
                Graph = options.Graph! with { MaxDegree = arguments.Degree },
                Tuning = options.Tuning! with { ListSize = arguments.BuildListSize, Alpha = arguments.Alpha },
            };
        }

        return options with { MemoryBudget = MemoryMb == 0 ? null : (long)MemoryMb << 20, Threads = Threads };
    }
}
