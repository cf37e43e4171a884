using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe scan</c>.</summary>
[Verb("scan", HelpText =
    "Print the records of a collection, in no order, an object of JSON a line. With --vectors, upsert reads the lines: " +
    "vectorpipe scan --vectors a | vectorpipe upsert b. Another process may write to the collection.")]
internal sealed class ScanArguments : CollectionArguments
{
    [Option("filter", HelpText = "(Default: all records) Which records are printed: \"year >= 1980 and not tags contains 'draft'\".")]
    public string? Filter { get; set; }

    [Option("limit", HelpText = "(Default: no limit) Most records to print, 1 or more.")]
    public long? Limit { get; set; }

    [Option("vectors", HelpText = "Print the vectors, too.")]
    public bool Vectors { get; set; }

    protected override OutputFormat UsualFormat => OutputFormat.Json;

    /// <summary>Checks the options before a collection is opened.</summary>
    public void Check() => UsageException.Require(Limit is null or >= 1, "--limit", Limit, "1 or more");
}
