using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe import</c>.</summary>
[Verb("import", HelpText = "Convert an index of DiskANN or PipeANN; graph, vectors and codes stay the same bit for bit.")]
internal sealed class ImportArguments : CommonArguments
{
    [Option("prefix", Required = true, HelpText =
        "Prefix of the files: PREFIX_disk.index, PREFIX_pq_compressed.bin, PREFIX_pq_pivots.bin.")]
    public string Prefix { get; set; } = "";

    [Option("out", Required = true, HelpText = "Folder of the index.")]
    public string Out { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "Metric of the index, which its files do not state: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("type", HelpText = "(Default: detected if possible) Type of a component: uint8, int8, float32 or float16.")]
    public string? Type { get; set; }
}
