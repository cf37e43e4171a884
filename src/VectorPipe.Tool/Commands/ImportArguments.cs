using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe import</c>.</summary>
[Verb("import", HelpText = "Make an index of one that DiskANN or PipeANN built; graph, vectors and codes are kept bit for bit.")]
internal sealed class ImportArguments : CommonArguments
{
    [Option("prefix", Required = true, HelpText =
        "Beginning of the files' names: PREFIX_disk.index, PREFIX_pq_compressed.bin, PREFIX_pq_pivots.bin.")]
    public string Prefix { get; set; } = "";

    [Option("out", Required = true, HelpText = "Folder of the index.")]
    public string Out { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine: the metric that the index was built for; its files do not state it.")]
    public string Metric { get; set; } = "";

    [Option("type", HelpText = "(Default: found out, where it can be) uint8, int8, float32 or float16.")]
    public string? Type { get; set; }

    public override string Verb => "import";
}
