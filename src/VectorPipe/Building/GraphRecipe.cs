using VectorPipe.Building.Codes;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.PagePhases;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Errors;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building;

/// <summary>The phases of a graph index with merged pages.</summary>
internal sealed class GraphRecipe : IBuildRecipe
{
    // Pages and reads of the query with the widest list.
    private const int QueryPages = 640 + 32;
    private const int MostIdsSeen = 1 << 20;

    public static GraphRecipe Instance { get; } = new();

    public PreparedBuild Prepare(BuildRequest request)
    {
        BuildSize vectors = request.Size;
        BuildTuning tuning = request.Options.ResolvedTuning;
        IndexFileSet form = FormOf(request, isRounded: true);
        CodeKind code = CodeTrainer.KindFor(tuning.Code, vectors.Dimension);
        (FileRole Role, long Bytes)[] files =
            IndexFilesWriter.Sizes(form.Layout, form.Merged, form.Originals, vectors.Count, request.Split.CodeBytes, request.Keys, code);
        PartitionedOptions options = PartitionedOptions.For(vectors.Count) with { KeptNearest = AffinityRanker.Neighbours };
        var size = new MergedSize(
            new GraphSize(vectors, request.Options.ResolvedGraph.MaxDegree, options), form.Merged, form.Layout, request.Split.CodeBytes,
            code);
        var work = new MergedWork(form, ParametersOf(request.Options), options) { FileOrder = [.. files.Select(file => file.Role)] };
        var read = new ReadPhase(vectors, work, request.Source, form.IsRounded)
        {
            OnMisfit = request.Options.PageElementType is null ? (run, defect) => KeepOriginal(run, request, work, defect) : null,
        };
        Phase[] phases =
        [
            read,
            new TrainPhase(vectors, work, tuning.Code, request.Split.CodeBytes, request.Options.Seed),
            .. GraphPhases(request, size.Graph, work),
            new PackPhase(size, work),
            new WritePhase(size, work),
            new KeysPhase(size, work, request.Keys),
            .. vectors.Count < IndexCalibrator.LeastVectors ? [] : new[] { Calibrate(request, size, work) },
            new PublishPhase(work, request.Generations),
        ];
        return new PreparedBuild(work, phases, files)
        {
            // While one is written, the one before is there.
            SnapshotBytes = request.Options.Resume ? 2 * GraphSnapshot.BytesOf(size.Graph) : 0,
        };
    }

    public static GraphParameters ParametersOf(BuildOptions options)
    {
        BuildTuning tuning = options.ResolvedTuning;
        int degree = options.ResolvedGraph.MaxDegree;
        return new GraphParameters(
            degree, tuning.ListSize ?? Math.Max(BuildTuning.DefaultListSize, degree), tuning.Alpha ?? BuildTuning.DefaultAlpha,
            options.Threads, options.Seed);
    }

    /// <summary>The phases of the graph: those of the library, or one for the builder of the request.</summary>
    public static IReadOnlyList<Phase> GraphPhases(BuildRequest request, GraphSize size, GraphWork work)
    {
        if (request.GraphBuilder is not { } builder)
            return PartitionedBuilder.Phases(size, work, request.IsPaged, isKept: request.Options.Resume);
        Require.That(
            !request.IsPaged, nameof(BuildOptions.MemoryBudget), request.Options.MemoryBudget,
            "none for a graph builder that has no paged tables");
        return [new GraphBuilderPhase(size, work, builder)];
    }

    private static IndexFileSet FormOf(BuildRequest request, bool isRounded)
    {
        BuildOptions options = request.Options;
        PageOverrides content = options.ToPageOverrides();
        return IndexFileSet.Of(
            request.Size, request.Split.PageGraphBytes, isRounded ? content : content with { Vectors = request.Source.ElementType },
            options.DropVectors);
    }

    private static void KeepOriginal(BuildRun run, BuildRequest request, MergedWork work, string defect)
    {
        BuildLog.VectorsNotRounded(run.Target.Logger, defect);
        bool hadFile = work.Form.Originals is not null;
        work.Form = FormOf(request, isRounded: false);
        if (hadFile)
            IndexFilesWriter.Release(run.Target.Directory, run.Target.Generation, FileRole.Vectors, run.Target.Io);
    }

    private static CalibratePhase Calibrate(BuildRequest request, MergedSize size, MergedWork work)
    {
        long ids = 6 * (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)Math.Min(2 * size.Count, MostIdsSeen));
        int queries = Math.Min(request.CalibrationQueries, IndexCalibrator.QueriesFor(size.Count));
        int made = (int)Math.Min(queries, size.Count);
        return new CalibratePhase(work, queries)
        {
            FixedBytes = size.SearchBytes + SyntheticQueries<byte>.MemoryBytes(made, size.Graph.Vectors.VectorBytes),
            QueryBytes = (QueryPages * (long)size.Shape.PageSize) + ids + MachineModel.MiB,
            MostQueriesInFlight = IndexCalibrator.MaxQueriesInFlight,
            EstimatedSeconds = request.Size.Seconds(queries, 6000, 4000),
        };
    }
}
