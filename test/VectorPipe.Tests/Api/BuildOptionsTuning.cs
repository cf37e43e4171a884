using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;

namespace VectorPipe.Tests.Api;

/// <summary>Shorthands for the build options of tests.</summary>
internal static class BuildOptionsTuning
{
    /// <summary>A small graph.</summary>
    public static BuildOptions SmallGraph(int degree, int listSize, int? codeBytes = null) => new()
    {
        Graph = new GraphBuild { MaxDegree = degree },
        Tuning = new BuildTuning { ListSize = listSize, CodeBytes = codeBytes },
    };

    /// <summary>The same with other tuning.</summary>
    public static BuildOptions Tuned(this BuildOptions options, Func<BuildTuning, BuildTuning> change) =>
        options with { Tuning = change(options.Tuning ?? new BuildTuning()) };

    /// <summary>The same with other options of the graph.</summary>
    public static BuildOptions WithGraph(this BuildOptions options, Func<GraphBuild, GraphBuild> change) =>
        options with { Graph = change(options.Graph ?? new GraphBuild()) };

    /// <summary>The same with other options of the lists.</summary>
    public static BuildOptions WithLists(this BuildOptions options, Func<IvfBuild, IvfBuild> change) =>
        options with { Ivf = change(options.Ivf ?? new IvfBuild()) };

    /// <summary>The same in pages of a layout.</summary>
    public static BuildOptions In(this BuildOptions options, IndexLayout layout) =>
        layout == IndexLayout.Merged ? options : options.Tuned(tuning => tuning with { Recipe = PlainRecipe.Packed });

    /// <summary>The same for a kind of index; lists take none of the graph's options.</summary>
    public static BuildOptions Of(this BuildOptions options, IndexKind kind) =>
        kind == IndexKind.Graph ? options : options with { Graph = null, Tuning = null, Ivf = new IvfBuild() };
}
