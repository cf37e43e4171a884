using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Shuffles;

/// <summary>Options of <c>vectorpipe-bench shuffle</c>.</summary>
[Verb("shuffle", HelpText = "Sort rows by partition through files, with one batch size after another, and read them back.")]
internal sealed class ShuffleBenchArguments : BenchArguments
{
    [Option("rows", Default = 2_000_000L, HelpText = "Number of rows, at most 2^40.")]
    public long Rows { get; set; }

    [Option("row-bytes", Default = 128, HelpText = "Bytes per row, 8 to 1048576.")]
    public int RowBytes { get; set; }

    [Option("partitions", Default = 1024, HelpText = "Number of partitions, 1 to 16777216.")]
    public int Partitions { get; set; }

    [Option("batch-mb", Separator = ',', Default = new[] { 16, 64, 256 }, HelpText =
        "MiB of memory for a flush group, 1 to 1048576; several with commas, one run each.")]
    public IEnumerable<int> BatchMb { get; set; } = [];

    public override void Check()
    {
        base.Check();
        UsageException.Require(Rows is >= 1 and <= 1L << 40, "--rows", Rows, "1 to 2^40");
        UsageException.Require(RowBytes is >= 8 and <= 1 << 20, "--row-bytes", RowBytes, "8 to 1048576");
        UsageException.Require(Partitions is >= 1 and <= 1 << 24, "--partitions", Partitions, "1 to 16777216");
        UsageException.Require(BatchMb.Any(), "--batch-mb", "none", "one or more numbers");
        foreach (int batch in BatchMb)
            UsageException.Require(batch is >= 1 and <= 1 << 20, "--batch-mb", batch, "1 to 1048576");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: a shuffle runs as fast as it can");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: a shuffle has a table only");
        UsageException.Require(ThreadCounts is [1], "--threads", string.Join(',', ThreadCounts), "1: a shuffle has one writer");
    }
}
