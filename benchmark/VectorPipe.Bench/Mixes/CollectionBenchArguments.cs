using CommandLine;
using VectorPipe.Bench.Generation;
using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Mixes;

/// <summary>Options of the verbs that write to a collection.</summary>
internal abstract class CollectionBenchArguments : PacedArguments
{
    [Option("base", HelpText = "(Default: generated clusters) File of the vectors.")]
    public string? Base { get; set; }

    [Option("query", HelpText = "(Default: vectors of the base) File of the queries.")]
    public string? Query { get; set; }

    [Option('n', "points", Default = 100_000, HelpText = "Records at the start: the first rows of the base.")]
    public int Points { get; set; }

    [Option("dim", Default = 128, HelpText = "Without --base: components per vector.")]
    public int Dimension { get; set; }

    [Option('k', Default = 10, HelpText = "Results per search, 1 to 1000.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "Metric: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("target-recall", Default = 0.95f, HelpText = "Recall at which searches aim, 0.5 to 0.9999.")]
    public float TargetRecall { get; set; }

    [Option("durability", Default = "group", HelpText =
        "When a write is acknowledged: group (a shared sync), every (a sync each) or flush (no sync).")]
    public string Durability { get; set; } = "";

    private static readonly Choice<Durability> _durabilities = new(
        "--durability",
        [
            ("group", VectorPipe.Durability.GroupCommit), ("every", VectorPipe.Durability.EveryWrite),
            ("flush", VectorPipe.Durability.OnFlush),
        ]);

    /// <summary>Folder of the collection, which is made anew by each run.</summary>
    public string CollectionFolder => Path.Combine(DataFolder, $"{Verb}.collection");

    public SearchOptions ToSearchOptions() => new() { TargetRecall = TargetRecall };

    /// <summary>How the collection is opened.</summary>
    public virtual CollectionOptions ToOptions(ToolConsole console) => new()
    {
        Durability = _durabilities.Parse(Durability),
        Open = new OpenOptions { Device = ToDeviceOptions(), LoggerFactory = console.Logging },
    };

    public override void Check()
    {
        base.Check();
        UsageException.Require(Points >= 1, "--points", Points, "1 or more");
        UsageException.Require(Dimension is >= 1 and <= 32_768, "--dim", Dimension, "1 to 32768");
        UsageException.Require(K is >= 1 and <= 1000, "-k", K, "1 to 1000");
        UsageException.Require(TargetRecall is >= 0.5f and <= 0.9999f, "--target-recall", TargetRecall, "0.5 to 0.9999");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: a run changes the collection");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: collections have tables only");
        Choices.Metric(Metric);
        _durabilities.Parse(Durability);
    }

    /// <summary>The file of vectors; generated in the folder of data if none was named.</summary>
    public async Task<string> FindBaseAsync(int points, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        if (Base is not null)
            return Base;
        Directory.CreateDirectory(DataFolder);
        string path = Path.Combine(DataFolder, $"clusters-{Dimension}-uint8-seed{Seed}.base-{points}.u8bin");
        if (!File.Exists(path))
        {
            var vectors = new SyntheticVectors("clusters", VectorElementType.UInt8, Dimension, Seed);
            await vectors.WriteAsync(path, points, VectorStream.Base, progress, cancellationToken);
        }

        return path;
    }
}
