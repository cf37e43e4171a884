using CommandLine;
using VectorPipe.Bench.Runs;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Reads;

/// <summary>Options of <c>vectorpipe-bench device</c>.</summary>
[Verb("device", HelpText = "Read random pages of a file through the pipeline.")]
internal sealed class DeviceBenchArguments : PacedArguments
{
    private const int MaxDataMb = 1 << 24;

    [Option("device-throttle-limit", Hidden = true, Separator = ',', Default = new[] { 128 }, HelpText =
        "Most reads in flight per thread, 1 to 32768; several with commas, one run each. Many disks need 512 in total to be busy.")]
    public IEnumerable<int> ThrottleLimits { get; set; } = [];

    [Option("read-bytes", Default = PageCodec.PageUnit, HelpText = "Bytes per read: a multiple of 4096, at most 1048576.")]
    public int ReadBytes { get; set; }

    [Option("data-mb", Default = 1024, HelpText =
        "MiB of the file, 1 to 16777216; it is created once. Use several GiB: disks read small files faster.")]
    public int DataMb { get; set; }

    /// <summary>Pages of the file, including its header.</summary>
    public long PageCount => ((long)DataMb << 20) / ReadBytes;

    public override void Check()
    {
        base.Check();
        UsageException.Require(ThrottleLimits.Any(), "--device-throttle-limit", "none", "one or more numbers");
        foreach (int limit in ThrottleLimits)
            UsageException.Require(limit is >= 1 and <= 32_768, "--device-throttle-limit", limit, "1 to 32768");
        UsageException.Require(
            ReadBytes is >= PageCodec.PageUnit and <= PageCodec.MaxPageSize && ReadBytes % PageCodec.PageUnit == 0,
            "--read-bytes", ReadBytes, "a multiple of 4096 up to 1048576");
        UsageException.Require(DataMb is >= 1 and <= MaxDataMb, "--data-mb", DataMb, $"1 to {MaxDataMb}");
        UsageException.Require(PageCount >= 2, "--data-mb", DataMb, "room for two reads or more");
    }
}
