using VectorPipe.Bench.Arguments;
using VectorPipe.Building.Graphs;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Bench.Builds;

/// <summary>One combination of the options that differ between builds, by their names.</summary>
/// <param name="Algorithm">The graph builder; null for an IVF index.</param>
/// <param name="Layout">The layout of a graph; null for an IVF index.</param>
/// <param name="Code">The kind of codes; null for lists without codes.</param>
/// <param name="MemoryMb">Memory budget in MiB; 0 for none.</param>
internal sealed record BuildVariant(string Kind, string? Algorithm, string? Layout, string? Code, int Threads, int MemoryMb)
{
    public bool IsLists => Choices.Kind(Kind) == IndexKind.Ivf;

    /// <summary>Short name, for example <c>partitioned-merged-opq-2t</c>.</summary>
    public string Label
    {
        get
        {
            string code = Code is null ? "" : $"-{Code}";
            string name = IsLists ? $"{Kind}{code}" : $"{Algorithm}{(Layout == "plain" ? "" : $"-{Layout}")}{(Code == "pq" ? "" : code)}";
            return $"{name}-{Threads}t{(MemoryMb == 0 ? "" : $"-{MemoryMb}MiB")}";
        }
    }

    /// <summary>The graph builder; null for the library's.</summary>
    public IGraphBuilder? GraphBuilder => Algorithm == "vamana" ? new VamanaBuilder() : null;

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
