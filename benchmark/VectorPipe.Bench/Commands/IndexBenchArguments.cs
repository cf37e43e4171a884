using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Searches;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of the verbs that build indexes and search them.</summary>
internal abstract class IndexBenchArguments : BenchArguments
{
    private readonly RecentResults _recent = new();

    [Option('k', Default = 10, HelpText = "Results of a query.")]
    public int K { get; set; }

    [Option(
        'l', "list-size", Separator = ',',
        HelpText = "L: candidates that a query keeps, at least k. Knob of the policy list: one or more; of the others one at most.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option('w', "beam-width", HelpText = "(Default: 4; 16 with a width that grows) W: most reads of a query in flight.")]
    public int? BeamWidth { get; set; }

    [Option(
        "probes", Separator = ',',
        HelpText = "(Default: 4,8,16,32) Knob of an index of lists: lists that a query scans at most. One or more.")]
    public IEnumerable<int> Probes { get; set; } = [];

    [Option("rerank", HelpText = "(Default: 64, or 4 k if that is more) Coded lists: vectors that are read and ranked exactly.")]
    public int? Rerank { get; set; }

    [Option(
        "bound-factor",
        HelpText =
        "(Default: 1.5) Index of lists: a list is passed over if the least distance of its vectors, times this, lies beyond the end of "
        + "the answer.")]
    public float? BoundFactor { get; set; }

    [Option("lists", HelpText = "(Default: as many as make a list about eight pages) Of an index of lists that is built: lists, about.")]
    public int? Lists { get; set; }

    [Option(
        "coded-lists",
        HelpText =
        "Of an index of lists that is built: searches scan compressed codes on disk, and read vectors for the best --list-size of them "
        + "only.")]
    public bool CodedLists { get; set; }

    [Option(
        "policy",
        HelpText =
        "(Default: gain with a --threshold or --target-recall, or if the index is calibrated and no --list-size is given; else list) "
        + "What is read next, and when a search ends: gain, ratio, list or relaxed.")]
    public string? Policy { get; set; }

    [Option(
        "threshold", Separator = ',',
        HelpText =
        "Knob of gain (results that a page must promise; default 0.3,0.1,0.03), of ratio (default 1,0.9,0.8) and of relaxed (pages that "
        + "may bring nothing one after another; default 2,5,10): one or more.")]
    public IEnumerable<float> Thresholds { get; set; } = [];

    [Option(
        "target-recall", Separator = ',',
        HelpText = "Recall to aim at, by what the index's calibration found; takes the place of --threshold. One or more.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option(
        "follow-factor",
        HelpText =
        "(Default: 1.3, or 1.6 where reads are dear; no bound with the policy list) Merged layout: links of a node are followed if it is "
        + "at most so many times as far as the end of the answer.")]
    public float? FollowFactor { get; set; }

    [Option("cache-mb", Default = 0, HelpText = "MiB of memory for pages; as many as the node file has keep all of it there.")]
    public int CacheMb { get; set; }

    [Option(
        "cache-policy", Default = "static",
        HelpText =
        "static or adaptive: which pages are kept if not all can be: those that a sample of queries wants most, or those that were read "
        + "lately.")]
    public string CachePolicy { get; set; } = "";

    [Option(
        "memory-per-vector",
        HelpText =
        "(Default: 32 and a twentieth of a vector's size) Of an index that is built: bytes of memory that a vector may cost at search "
        + "time.")]
    public double? MemoryPerVector { get; set; }

    [Option("code-bytes", HelpText = "(Default: what --memory-per-vector leaves beside the links) Bytes of a vector's code in memory.")]
    public int? CodeBytes { get; set; }

    [Option("page-vectors", Default = "auto", HelpText = "How pages of the merged layout hold float32 vectors: auto, original or float16.")]
    public string PageVectors { get; set; } = "";

    [Option("page-size", HelpText = "(Default: the least that fits) Bytes of a page of the merged layout: a multiple of 4,096.")]
    public int? PageSize { get; set; }

    [Option(
        "nodes-per-page",
        HelpText = "(Default: as many as fit with 55 links each, less replicas) Vectors that a page of the merged layout owns.")]
    public int? NodesPerPage { get; set; }

    [Option(
        "replicas-per-page",
        HelpText = "(Default: by the size of a vector) Vectors of other pages that a page of the merged layout repeats, at most.")]
    public int? ReplicasPerPage { get; set; }

    [Option(
        "page-graph-bytes",
        HelpText =
        "(Default: what --memory-per-vector leaves beside the code) Merged layout: bytes of memory a vector for links of pages.")]
    public double? PageGraphBytes { get; set; }

    /// <summary>How the vectors of an index are compared, by name.</summary>
    public abstract string MetricName { get; }

    /// <summary>How many reads of a query are in flight at which time; null for the default.</summary>
    protected virtual SearchWidth? WidthOfQueries => null;

    /// <summary>Whether queries enter where the latest of their thread ended, too.</summary>
    protected virtual bool EntersAtRecentResults => false;

    /// <summary>List sizes, if there are to be several and none is named.</summary>
    protected abstract int[] DefaultListSizes { get; }

    /// <inheritdoc/>
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
        TuningChoices.PageElementType(PageVectors, VectorElementType.Float32);
        Choices.Metric(MetricName);
        if (Policy is not null)
            SettingsOfGraph(isCalibrated: true, SearchMode.Beam, isOneOfSeveral: false);
    }

    /// <summary>Every setting of the knobs of an index, in the order in which they were named.</summary>
    /// <param name="index">The index.</param>
    /// <param name="mode">How reads overlap computation.</param>
    /// <param name="others">Whether it is one of several that differ, and what is a knob of the others alone is left aside.</param>
    /// <exception cref="UsageException">The options do not go together.</exception>
    public IReadOnlyList<SearchSetting> SettingsOf(IndexInfo index, SearchMode mode, OtherIndexes others = OtherIndexes.None)
    {
        bool isForBoth = others.HasFlag(OtherIndexes.OfAnotherKind);
        if (index.Kind == IndexKind.Graph)
        {
            UsageException.Require(isForBoth || !Probes.Any(), "--probes", string.Join(',', Probes), "none for an index that is a graph");
            UsageException.Require(isForBoth || Rerank is null, "--rerank", Rerank, "none for an index that is a graph");
            UsageException.Require(isForBoth || BoundFactor is null, "--bound-factor", BoundFactor, "none for an index that is a graph");
            return SettingsOfGraph(index.Calibration.Count > 0, mode, others.HasFlag(OtherIndexes.OfAnotherLayout));
        }

        const string other = "none for an index of lists, whose knob is --probes";
        UsageException.Require(isForBoth || Policy is null, "--policy", Policy, other);
        UsageException.Require(isForBoth || !ListSizes.Any(), "--list-size", string.Join(',', ListSizes), other);
        UsageException.Require(isForBoth || !Thresholds.Any(), "--threshold", string.Join(',', Thresholds), other);
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
            Recent = EntersAtRecentResults ? _recent : null
        };
        return ReferenceSettings.Of(common, ReferenceChoices.Policy(policy), listSizes, thresholds, targetRecalls);
    }

    /// <summary>The modes in which an index is searched: all but exact are one and the same of lists.</summary>
    public static IEnumerable<string> ModesOf(IndexInfo index, IEnumerable<string> modes) =>
        index.Kind == IndexKind.Graph ? modes : modes.Select(mode => mode == "exact" ? mode : "pipe").Distinct();

    /// <summary>How indexes are opened.</summary>
    /// <param name="queriesInFlight">Queries of a thread in flight.</param>
    public OpenOptions ToOpenOptions(int queriesInFlight) => new()
    {
        Device = ToDeviceOptions(),
        QueriesInFlight = queriesInFlight,
        CacheBytes = (long)CacheMb << 20,
        CachePolicy = TuningChoices.Caching(CachePolicy),
    };

    /// <summary>How indexes of a layout and a kind of codes are built.</summary>
    /// <param name="layout">What a page holds; null for the library's choice. The options of a page's content are those of the merged
    /// layout alone.</param>
    /// <param name="code">How vectors are compressed.</param>
    /// <param name="type">Type of the vectors' components.</param>
    public BuildOptions ToBuildOptions(IndexLayout? layout, string code, VectorElementType type)
    {
        bool isPlain = layout == IndexLayout.Plain;
        return new BuildOptions
        {
            Metric = Choices.Metric(MetricName),
            MemoryPerVector = MemoryPerVector,
            PageElementType = isPlain ? null : TuningChoices.PageElementType(PageVectors, type),
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

    /// <summary>How indexes of lists are built.</summary>
    /// <param name="code">How vectors are compressed, if lists are coded.</param>
    /// <param name="type">Type of the vectors' components.</param>
    public BuildOptions ToListOptions(string code, VectorElementType type) => new()
    {
        Metric = Choices.Metric(MetricName),
        MemoryPerVector = CodedLists ? MemoryPerVector : null,
        PageElementType = TuningChoices.PageElementType(PageVectors, type),
        DropVectors = PageVectors == "float16",
        Seed = Seed,
        Ivf = new IvfBuild { Lists = Lists, Coded = CodedLists, PageSize = PageSize },
        Tuning = new BuildTuning { Code = TuningChoices.Code(code), CodeBytes = CodedLists ? CodeBytes : null },
    };

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["metric"] = MetricName;
        json["k"] = K;
        json["list_size"] = new JsonArray([.. ListSizes.Select(size => JsonValue.Create(size))]);
        json["beam_width"] = BeamWidth;
        json["probes"] = new JsonArray([.. Probes.Select(probes => JsonValue.Create(probes))]);
        json["lists"] = Lists;
        json["coded_lists"] = CodedLists;
        json["policy"] = Policy;
        json["threshold"] = new JsonArray([.. Thresholds.Select(threshold => JsonValue.Create(Math.Round(threshold, 6)))]);
        json["target_recall"] = new JsonArray([.. TargetRecalls.Select(recall => JsonValue.Create(Math.Round(recall, 6)))]);
        json["rerank"] = Rerank;
        json["bound_factor"] = BoundFactor is { } bound ? Math.Round(bound, 6) : null;
        json["follow_factor"] = FollowFactor is { } factor ? Math.Round(factor, 6) : null;
        json["cache_mb"] = CacheMb;
        json["cache_policy"] = CachePolicy;
        json["memory_per_vector"] = MemoryPerVector;
        json["code_bytes"] = CodeBytes;
        json["page_vectors"] = PageVectors;
        json["page_size"] = PageSize;
        json["nodes_per_page"] = NodesPerPage;
        json["replicas_per_page"] = ReplicasPerPage;
        json["page_graph_bytes"] = PageGraphBytes;
        return json;
    }
}
