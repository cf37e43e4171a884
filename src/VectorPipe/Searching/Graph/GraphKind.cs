using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Graph;

/// <summary>An index that is a graph, in either layout.</summary>
internal sealed partial class GraphKind : IndexKindOperations
{
    private const int WarmUpListSize = 50;
    private const float WarmUpThreshold = 0.1f;
    private const int FitListSize = 200;
    private const int TruthListSize = 400;

    private static readonly float[] _calibratedThresholds =
        [1f, 0.6f, 0.4f, 0.25f, 0.15f, 0.09f, 0.05f, 0.03f, 0.015f, 0.008f, 0.004f, 0.002f, 0.001f];

    // The share that real queries miss grows with this power of the threshold, and would be all of it at this threshold.
    private const float MissedPower = 5f / 3;
    private const float ThresholdOfNothing = 3;

    private GraphKind()
    {
    }

    public static GraphKind Instance { get; } = new();

    public override bool HasGraph => true;

    public override void CheckShape(PageFileReader file, Manifest manifest)
    {
        base.CheckShape(file, manifest);
        if (file.Entry.Role != FileRole.Codes)
            return;

        // The schema says how much memory the codes get: a damaged one must not ask for too much.
        long length = manifest.Schema.IdCount * manifest.Schema.CodeBytes;
        if (file.Header.StreamLength != length)
            throw new IndexCorruptException(file.FilePath, 0, $"expected {length} bytes of codes, found {file.Header.StreamLength}");
    }

    public override void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        base.CheckContent(file, manifest, cancellationToken);
        if (file.Entry.Role == FileRole.PageGraph)
            PageGraph.Load(file, manifest.Schema, cancellationToken).Dispose();
    }

    public override GraphIndex Load(IndexFiles files, PendingIoOptions reads, CancellationToken cancellationToken)
    {
        Manifest manifest = files.Manifest;
        FileEntry[] read = CheckFiles(files, manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), manifest.VectorFile);
        CodeBook codeBook = LoadCodeBook(files, cancellationToken);
        NativeBuffer? codes = null;
        PageGraph? pageGraph = null;
        try
        {
            codes = LoadCodes(files, cancellationToken);
            if (manifest.Schema.Merged is not null)
            {
                using PageFileReader file = Open(files, FileRole.PageGraph);
                pageGraph = PageGraph.Load(file, manifest.Schema, cancellationToken);
            }

            IDevice device = files.OpenAll(read);
            return new GraphIndex(manifest, files.Directory, codeBook, codes, device) { PageGraph = pageGraph, Reads = reads };
        }
        catch
        {
            codeBook.Dispose();
            codes?.Dispose();
            pageGraph?.Dispose();
            throw;
        }
    }

    public override SearchOptions NeighbourOptions(int k) =>
        new() { Graph = new GraphSearch { ListSize = Math.Max(50, k) }, Mode = SearchMode.Beam };

    // By beam, whose reads do not depend on which of them landed first.
    public override SearchOptions WarmUpOptions(SearchIndex index) => index.Calibration is null
        ? new() { Graph = new GraphSearch { ListSize = WarmUpListSize }, Mode = SearchMode.Beam }
        : ByGain(WarmUpThreshold);

    public override CalibrationPlan PlanCalibration(IndexSchema schema) => new()
    {
        Fit = ByList(FitListSize),
        Truth = ByList(TruthListSize),
        Steps = [.. _calibratedThresholds.Select(threshold => (threshold, ByGain(threshold)))],
        MostClaimed = MostClaimed,
        PagesOf = static cost => cost.Reads + cost.CacheHits,
    };

    public override IndexInfo Describe(string directory, Manifest manifest)
    {
        IndexInfo info = base.Describe(directory, manifest);
        IndexSchema schema = manifest.Schema;
        long codes = schema.IdCount * schema.CodeBytes, pageGraph = schema.Merged?.StreamLength(schema.NodePages) ?? 0;
        return info with
        {
            Kind = IndexKind.Graph,
            CodeMemoryBytes = codes,
            PageGraphMemoryBytes = pageGraph,
            MemoryBytes = info.MemoryBytes + codes + pageGraph,
        };
    }

    // As much as real queries find at a threshold, see docs/decisions.md#synthetic-queries.
    private static float MostClaimed(float threshold) => 1 - MathF.Pow(MathF.Min(threshold / ThresholdOfNothing, 1), MissedPower);

    private static SearchOptions ByList(int listSize) =>
        new() { Graph = new GraphSearch { ListSize = listSize, BeamWidth = 8 }, Mode = SearchMode.Beam };

    private static SearchOptions ByGain(float threshold) =>
        new() { Graph = new GraphSearch { Threshold = threshold }, Mode = SearchMode.Beam };

    // A device that a program gives is opened for as long as it is read.
    private CodeBook LoadCodeBook(IndexFiles files, CancellationToken cancellationToken)
    {
        PageFileReader file = Open(files, FileRole.CodeBook);
        CodeBook? left = null;
        try
        {
            if (files.OpenLoaded is not null || files.Schema.Count > OpenOptions.DefaultExactUpTo)
                return CodeBook.Load(file, files.Schema, cancellationToken);
            return left = CodeBook.Leave(file, files.Schema, cancellationToken);
        }
        finally
        {
            if (left is null)
                file.Dispose();
        }
    }

    private NativeBuffer LoadCodes(IndexFiles files, CancellationToken cancellationToken)
    {
        using PageFileReader file = Open(files, FileRole.Codes);

        // An index without vectors has no codes, and a buffer has a byte at the least.
        if (file.Header.StreamLength == 0)
            return new NativeBuffer(1);
        long ids = files.Schema.Merged?.Capacity ?? files.Schema.Count;
        var codes = new NativeBuffer((nuint)Math.Max(file.Header.StreamLength, ids * files.Schema.CodeBytes));
        try
        {
            file.ReadAll(codes, (nuint)file.Header.StreamLength, cancellationToken);
            return codes;
        }
        catch
        {
            codes.Dispose();
            throw;
        }
    }
}
