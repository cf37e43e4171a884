using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe count</c>.</summary>
[Verb("count", HelpText = "Count the records of a collection, or those that match a filter. Another process may write to it.")]
internal sealed class CountArguments : CollectionArguments
{
    [Option("filter", HelpText = "(Default: all records) Which records count: \"year >= 1980 and not tags contains 'draft'\".")]
    public string? Filter { get; set; }
}
