using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Measuring.Searches;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Bench.Arguments;

/// <summary>Options of the verbs that build indexes and search them.</summary>
internal abstract class IndexBenchArguments : BenchArguments
{
    private readonly RecentResults _recent = new();

    [Option('k', Default = 10, HelpText = "Results per query, 1 or more.")]
    public int K { get; set; }

    [Option('l', "list-size", Hidden = true, Separator = ',', HelpText =
        "Candidates that a search keeps, k to 65536: several, with commas, for the policy list; at most one for other policies.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option('w', "beam-width", Hidden = true, HelpText =
        "(Default: 4, or 16 if the width grows) Most reads in flight per query, 1 to 256.")]
    public int? BeamWidth { get; set; }

    [Option("probes", Hidden = true, Separator = ',', HelpText =
        "(Default: 4,8,16,32) ivf: most lists that a search scans, 1 or more; several with commas.")]
    public IEnumerable<int> Probes { get; set; } = [];

    [Option("rerank", Hidden = true, HelpText = "(Default: 64, or 4 k if more) ivf with coded lists: vectors to rank exactly, k to 65536.")]
    public int? Rerank { get; set; }

    [Option("bound-factor", Hidden = true, HelpText =
        "(Default: 1.5) ivf: skip a list if the least possible distance of its vectors, times this factor, exceeds that of the answer; "
        + "above 0, at most 100.")]
    public float? BoundFactor { get; set; }

    [Option("lists", Hidden = true, HelpText = "(Default: lists of about eight pages) ivf, to build: approximate number of lists.")]
    public int? Lists { get; set; }

    [Option("coded-lists", Hidden = true, HelpText =
        "ivf, to build: searches scan codes on disk, and read only the vectors of the best codes.")]
    public bool CodedLists { get; set; }

    [Option("policy", Hidden = true, HelpText =
        "(Default: gain with --threshold, --target-recall or a calibrated index without --list-size; else list) graph: policy that chooses "
        + "pages and ends a search: gain, ratio, list or relaxed.")]
    public string? Policy { get; set; }

    [Option("threshold", Hidden = true, Separator = ',', HelpText =
        "graph: least gain (default with --policy 0.3,0.1,0.03), ratio (default 1,0.9,0.8), or pages in a row without a result for the "
        + "policy relaxed (default 2,5,10); above 0, at most 100; several with commas.")]
    public IEnumerable<float> Thresholds { get; set; } = [];

    [Option("target-recall", Separator = ',', HelpText =
        "(Default: 0.95 for a calibrated graph without --policy, --threshold or --list-size) Target recall, 0.5 to 0.9999, instead of "
        + "--threshold or --probes; several with commas.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option("follow-factor", Hidden = true, HelpText =
        "(Default: 1.3, or 1.6 if reads are dear; unlimited for the policy list) Merged layout: follow factor, 1 or more.")]
    public float? FollowFactor { get; set; }

    [Option("cache-mb", Default = 0, HelpText = "MiB of memory for pages, 0 or more.")]
    public int CacheMb { get; set; }

    [Option("cache-policy", Hidden = true, Default = "static", HelpText =
        "Pages in a partial cache: static (those that a sample of queries reads most) or adaptive (those read last).")]
    public string CachePolicy { get; set; } = "";

    [Option("memory-per-vector", Hidden = true, HelpText =
        "(Default: 32, plus 5 % of a vector's size) To build: bytes of memory per vector while the index is open.")]
    public double? MemoryPerVector { get; set; }

    [Option("code-bytes", Hidden = true, HelpText = "(Default: --memory-per-vector less the page graph) To build: bytes per code.")]
    public int? CodeBytes { get; set; }

    [Option("page-vectors", Hidden = true, Default = "auto", HelpText =
        "Merged layout, to build: type of float32 vectors in pages: auto, original or float16.")]
    public string PageVectors { get; set; } = "";

    [Option("page-size", Hidden = true, HelpText =
        "(Default: the smallest that fits) Merged layout, to build: bytes per page, a multiple of 4096.")]
    public int? PageSize { get; set; }

    [Option("nodes-per-page", Hidden = true, HelpText =
        "(Default: as many as fit with 55 links each, less replicas) Merged layout, to build: nodes per page.")]
    public int? NodesPerPage { get; set; }

    [Option("replicas-per-page", Hidden = true, HelpText =
        "(Default: by the size of a vector) Merged layout, to build: most replicas per page.")]
    public int? ReplicasPerPage { get; set; }

    [Option("page-graph-bytes", Hidden = true, HelpText =
        "(Default: --memory-per-vector less the code) Merged layout, to build: bytes of the page graph per vector.")]
    public double? PageGraphBytes { get; set; }

    /// <summary>Name of the metric.</summary>
    public abstract string MetricName { get; }

    protected virtual SearchWidth? WidthOfQueries => null;

    /// <summary>Whether queries also enter at the results of the thread's latest queries.</summary>
    protected virtual bool EntersAtRecentResults => false;

    /// <summary>List sizes of the policy list if the user names none.</summary>
    protected abstract int[] DefaultListSizes { get; }

    public override void Check()
    {
        base.Check();
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        foreach (int listSize in ListSizes)
            UsageException.Require(listSize >= K && listSize <= 65_536, "--list-size", listSize, $"k ({K}) to 65536");
        UsageException.Require(BeamWidth is null or (>= 1 and <= 256), "--beam-width", BeamWidth, "1 to 256");
        foreach (float threshold in Thresholds)
            UsageException.Require(threshold is > 0 and <= 100, "--threshold", threshold, "above 0, at most 100");
        foreach (float recall in TargetRecalls)
            UsageException.Require(recall is >= 0.5f and <= 0.9999f, "--target-recall", recall, "0.5 to 0.9999");
        foreach (int probes in Probes)
            UsageException.Require(probes >= 1, "--probes", probes, "1 or more");
        UsageException.Require(Rerank is null || (Rerank >= K && Rerank <= 65_536), "--rerank", Rerank, $"k ({K}) to 65536");
        UsageException.Require(BoundFactor is null or (> 0 and <= 100), "--bound-factor", BoundFactor, "above 0, at most 100");
        UsageException.Require(FollowFactor is null or >= 1, "--follow-factor", FollowFactor, "1 or more");
        UsageException.Require(CacheMb >= 0, "--cache-mb", CacheMb, "0 or more");
        TuningChoices.Caching(CachePolicy);
        Choices.PageElementType(PageVectors, VectorElementType.Float32);
        Choices.Metric(MetricName);
        if (Policy is not null)
            SettingsOfGraph(isCalibrated: true, SearchMode.Beam, isOneOfSeveral: false);
    }

    /// <summary>All settings for an index, in the order of the options.</summary>
    /// <param name="others">Other indexes of the measurement; options that apply only to them are ignored here.</param>
    public IReadOnlyList<SearchSetting> SettingsOf(IndexInfo index, SearchMode mode, OtherIndexes others = OtherIndexes.None)
    {
        const string graph = "none for a graph", ivf = "none for an IVF index; use --probes";
        bool isForBoth = others.HasFlag(OtherIndexes.OfAnotherKind);
        if (index.Kind == IndexKind.Graph)
        {
            UsageException.Require(isForBoth || !Probes.Any(), "--probes", string.Join(',', Probes), graph);
            UsageException.Require(isForBoth || Rerank is null, "--rerank", Rerank, graph);
            UsageException.Require(isForBoth || BoundFactor is null, "--bound-factor", BoundFactor, graph);
            return SettingsOfGraph(index.Calibration.Count > 0, mode, others.HasFlag(OtherIndexes.OfAnotherLayout));
        }

        UsageException.Require(isForBoth || Policy is null, "--policy", Policy, ivf);
        UsageException.Require(isForBoth || !ListSizes.Any(), "--list-size", string.Join(',', ListSizes), ivf);
        UsageException.Require(isForBoth || !Thresholds.Any(), "--threshold", string.Join(',', Thresholds), ivf);
        return [.. SearchSettings.OfLists(mode, [.. Probes], Rerank, isForBoth && Probes.Any() ? [] : [.. TargetRecalls]).Select(Bounded)];
    }

    private SearchSetting Bounded(SearchSetting setting) =>
        BoundFactor is null || setting.Options.Ivf is null
            ? setting
            : setting with { Options = setting.Options with { Tuning = new WalkTuning { BoundFactor = BoundFactor } } };

    private IReadOnlyList<SearchSetting> SettingsOfGraph(bool isCalibrated, SearchMode mode, bool isOneOfSeveral)
    {
        int[] listSizes = [.. ListSizes];
        float[] thresholds = [.. Thresholds], targetRecalls = [.. TargetRecalls];
        if (mode == SearchMode.Exact)
            return [SearchSettings.ExactOfGraph(BeamWidth is not null || listSizes.Length + thresholds.Length + targetRecalls.Length > 0)];
        if (Policy is null && isCalibrated && listSizes.Length + thresholds.Length + targetRecalls.Length == 0)
            targetRecalls = [SearchOptions.DefaultTargetRecall];
        string? policy = Policy;
        if (policy is null && isOneOfSeveral)
        {
            policy = isCalibrated && (listSizes.Length == 0 || thresholds.Length + targetRecalls.Length > 0) ? "gain" : "list";
            if (policy == "list")
                thresholds = targetRecalls = [];
            else
                listSizes = [];
        }

        policy ??= thresholds.Length + targetRecalls.Length > 0 || (isCalibrated && listSizes.Length == 0) ? "gain" : "list";
        if (policy == "list" && listSizes.Length == 0)
            listSizes = [.. DefaultListSizes.Where(size => size >= K).DefaultIfEmpty(K)];
        var common = new ReferenceSearch
        {
            BeamWidth = BeamWidth,
            Width = WidthOfQueries,
            Mode = mode,
            FollowFactor = FollowFactor,
            Recent = EntersAtRecentResults ? _recent : null,
        };
        return ReferenceSettings.Of(common, ReferenceChoices.Policy(policy), listSizes, thresholds, targetRecalls);
    }

    /// <summary>The modes for an index. On an IVF index beam and pipe are the same.</summary>
    public static IEnumerable<string> ModesOf(IndexInfo index, IEnumerable<string> modes) =>
        index.Kind == IndexKind.Graph ? modes : modes.Select(mode => mode == "exact" ? mode : "pipe").Distinct();

    public OpenOptions ToOpenOptions(int queriesInFlight) => new()
    {
        Device = ToDeviceOptions(),
        QueriesInFlight = queriesInFlight,
        CacheBytes = (long)CacheMb << 20,
        CachePolicy = TuningChoices.Caching(CachePolicy),
    };

    /// <summary>The options to build a graph of a layout, null for the default, and a kind of codes.</summary>
    public BuildOptions ToBuildOptions(IndexLayout? layout, string code, VectorElementType type)
    {
        bool isPlain = layout == IndexLayout.Plain;
        return new BuildOptions
        {
            Metric = Choices.Metric(MetricName),
            MemoryPerVector = MemoryPerVector,
            PageElementType = isPlain ? null : Choices.PageElementType(PageVectors, type),
            Seed = Seed,
            Graph = new GraphBuild { PageSize = isPlain ? null : PageSize },
            Tuning = new BuildTuning
            {
                Recipe = isPlain ? PlainRecipe.Packed : null,
                Code = TuningChoices.Code(code),
                CodeBytes = CodeBytes,
                NodesPerPage = isPlain ? null : NodesPerPage,
                ReplicasPerPage = isPlain ? null : ReplicasPerPage,
                PageGraphBytes = isPlain ? null : PageGraphBytes,
            },
        };
    }

    /// <summary>The options to build an IVF index.</summary>
    public BuildOptions ToListOptions(string code, VectorElementType type) => new()
    {
        Metric = Choices.Metric(MetricName),
        MemoryPerVector = CodedLists ? MemoryPerVector : null,
        PageElementType = Choices.PageElementType(PageVectors, type),
        DropVectors = type == VectorElementType.Float32 && Choices.PageElementType(PageVectors, type) == VectorElementType.Float16,
        Seed = Seed,
        Ivf = new IvfBuild { Lists = Lists, Coded = CodedLists, PageSize = PageSize },
        Tuning = new BuildTuning { Code = TuningChoices.Code(code), CodeBytes = CodedLists ? CodeBytes : null },
    };

    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["metric"] = MetricName;
        return json;
    }
}
