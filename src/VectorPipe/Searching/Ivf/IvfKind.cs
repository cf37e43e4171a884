using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Ivf;

/// <summary>An index of lists.</summary>
internal sealed partial class IvfKind : IndexKindOperations
{
    /// <summary>Most lists that the search for the true neighbours of a calibration scans.</summary>
    public const int TruthProbes = 512;

    private const int TruthRerank = 400;
    private const int MostCalibratedProbes = 256;
    private const int NeighbourProbes = 16;
    private const int WarmUpProbes = 32;

    // Passes no list over: a warm-up would count pages that were read ahead for those.
    private const float LeastBoundFactor = 1e-6f;

    private IvfKind()
    {
    }

    public static IvfKind Instance { get; } = new();

    public override bool HasGraph => false;

    /// <summary>Probes of the points of a calibration, in order, if none of them is left out.</summary>
    public static IEnumerable<int> CalibratedProbes(int lists)
    {
        for (int probes = 1; probes <= MostCalibratedProbes; probes *= 2)
        {
            yield return Math.Min(probes, lists);
            if (probes >= lists)
                yield break;
        }
    }

    public override void CheckShape(PageFileReader file, Manifest manifest)
    {
        base.CheckShape(file, manifest);
        if (file.Entry.Role == FileRole.Codes)
            RequirePages(file, PageCodec.PageUnit, 1, long.MaxValue);
    }

    public override void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        base.CheckContent(file, manifest, cancellationToken);
        if (file.Entry.Role == FileRole.Lists)
            IvfTable.Load(file, manifest, cancellationToken).Dispose();
    }

    public override IvfIndex Load(IndexFiles files, PendingIoOptions reads, CancellationToken cancellationToken)
    {
        Manifest manifest = files.Manifest;
        bool isCoded = manifest.Schema.Shape.HasFile(FileRole.Codes);
        FileEntry[] read = CheckFiles(
            files, manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), isCoded ? manifest.File(FileRole.Codes) : null,
            manifest.VectorFile);
        Quantizer? quantizer = null;
        if (isCoded)
        {
            using PageFileReader codeBookFile = Open(files, FileRole.CodeBook);
            quantizer = CodeBook.Read(codeBookFile, files.Schema, cancellationToken);
        }

        using PageFileReader listFile = Open(files, FileRole.Lists);
        IvfTable lists = IvfTable.Load(listFile, manifest, cancellationToken);
        try
        {
            return new IvfIndex(manifest, files.Directory, lists, quantizer, files.OpenAll(read)) { Reads = reads };
        }
        catch
        {
            lists.Dispose();
            throw;
        }
    }

    public override SearchOptions NeighbourOptions(int k) => ByProbes(NeighbourProbes);

    public override SearchOptions WarmUpOptions(SearchIndex index) =>
        ByProbes(WarmUpProbes) with { Tuning = new WalkTuning { BoundFactor = LeastBoundFactor } };

    // Lists need no line: their bounds are of exact distances. Pages scanned do not depend on the order in which reads land, as reads do.
    public override CalibrationPlan PlanCalibration(IndexSchema schema) => new()
    {
        Truth = new SearchOptions
        {
            Ivf = new IvfSearch { Probes = TruthProbes, Rerank = schema.Lists!.IsCoded ? TruthRerank : null },
            Tuning = new WalkTuning { BoundFactor = 1 },
        },
        Steps = [.. CalibratedProbes(schema.Lists.Lists).Select(probes => ((float)probes, ByProbes(probes)))],
        PagesOf = static cost => cost.PagesScanned,
    };

    public override IndexInfo Describe(string directory, Manifest manifest)
    {
        IndexInfo info = base.Describe(directory, manifest);
        IvfShape lists = manifest.Schema.Lists!;
        return info with
        {
            Kind = IndexKind.Ivf,
            Lists = lists.Lists,
            CodedLists = lists.IsCoded,
            ListMemoryBytes = lists.StreamLength,
            MemoryBytes = info.MemoryBytes + lists.StreamLength,
        };
    }

    private static SearchOptions ByProbes(int probes) => new() { Ivf = new IvfSearch { Probes = probes } };
}
