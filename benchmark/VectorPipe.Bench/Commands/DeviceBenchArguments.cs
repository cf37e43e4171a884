using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench device</c>.</summary>
[Verb("device", HelpText = "Read random pages of a file through the pipeline.")]
internal sealed class DeviceBenchArguments : PacedArguments
{
    private const int MaxDataMb = 1 << 24;

    [Option(
        "device-throttle-limit", Separator = ',', Default = new[] { 128 },
        HelpText =
        "Most reads that a thread keeps in flight; several, with commas, are measured one after another. Many disks need 512 or more, of "
        + "all threads together, to be busy.")]
    public IEnumerable<int> ThrottleLimits { get; set; } = [];

    [Option("read-bytes", Default = PageCodec.PageUnit, HelpText = "Bytes of a read: a multiple of 4096, at most 1 MiB.")]
    public int ReadBytes { get; set; }

    [Option(
        "data-mb", Default = 1024,
        HelpText = "MiB of the file, made when it is first needed. A small span is not what a disk's random reads cost: use several GiB.")]
    public int DataMb { get; set; }

    /// <inheritdoc/>
    public override string Verb => "device";

    /// <summary>Pages of the file, its header included.</summary>
    public long PageCount => ((long)DataMb << 20) / ReadBytes;

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["device_throttle_limit"] = new JsonArray([.. ThrottleLimits.Select(limit => JsonValue.Create(limit))]);
        json["read_bytes"] = ReadBytes;
        json["data_mb"] = DataMb;
        return json;
    }
}
