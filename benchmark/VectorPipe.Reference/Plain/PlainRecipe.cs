using VectorPipe.Building;
using VectorPipe.Building.Codes;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Reference.Plain;

/// <summary>The phases of a graph in plain pages, as in DiskANN: every node has its own links.</summary>
internal sealed class PlainRecipe : IBuildRecipe
{
    private PlainRecipe()
    {
    }

    /// <summary>Near nodes share a page.</summary>
    public static PlainRecipe Packed { get; } = new();

    /// <summary>Nodes are in a random order, so that a read brings one useful node.</summary>
    public static PlainRecipe Shuffled { get; } = new() { IsShuffled = true };

    public bool IsShuffled { get; private init; }

    public PreparedBuild Prepare(BuildRequest request)
    {
        BuildOptions options = request.Options;
        BuildSize vectors = request.Size;
        Check(options, vectors);
        BuildTuning tuning = options.ResolvedTuning;
        CodeKind code = CodeTrainer.KindFor(tuning.Code, vectors.Dimension);
        int degree = options.ResolvedGraph.MaxDegree;
        NodeLayout layout = NodeLayout.Plain(vectors.Type, vectors.Dimension, degree);
        (FileRole Role, long Bytes)[] files =
            IndexFilesWriter.Sizes(layout, merged: null, originals: null, vectors.Count, request.Split.CodeBytes, request.Keys, code);
        var size = new GraphSize(vectors, degree, new PartitionedOptions());
        var work = new PlainWork(layout, GraphRecipe.ParametersOf(options), size.Options)
        {
            FileOrder = [.. files.Select(file => file.Role)],
        };
        Phase[] phases =
        [
            new ReadPhase(vectors, work, request.Source, isRounded: false),
            new TrainPhase(vectors, work, tuning.Code, request.Split.CodeBytes, options.Seed),
            .. GraphRecipe.GraphPhases(request, size, work),
            new PlainPackPhase(size, work, IsShuffled),
            new PlainWritePhase(size, work, request.Keys),
            new PublishPhase(work, request.Generations),
        ];
        return new PreparedBuild(work, phases, files);
    }

    private static void Check(BuildOptions options, BuildSize vectors)
    {
        const string expected = "none with the plain layout";
        BuildTuning tuning = options.ResolvedTuning;
        Require.That(options.Ivf is null, nameof(BuildOptions.Ivf), options.Ivf, expected);
        Require.That(
            options.PageElementType is null || options.PageElementType == vectors.Type, nameof(BuildOptions.PageElementType),
            options.PageElementType, expected);
        Require.That(!options.DropVectors, nameof(BuildOptions.DropVectors), options.DropVectors, "false with the plain layout");
        Require.That(options.ResolvedGraph.PageSize is null, nameof(GraphBuild.PageSize), options.ResolvedGraph.PageSize, expected);
        Require.That(tuning.NodesPerPage is null, nameof(BuildTuning.NodesPerPage), tuning.NodesPerPage, expected);
        Require.That(tuning.ReplicasPerPage is null, nameof(BuildTuning.ReplicasPerPage), tuning.ReplicasPerPage, expected);
        Require.That(!tuning.WithRoom, nameof(BuildTuning.WithRoom), tuning.WithRoom, "false for the plain layout");
        Require.That(tuning.PageGraphBytes is null, nameof(BuildTuning.PageGraphBytes), tuning.PageGraphBytes, expected);
    }
}
