using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe compact</c>.</summary>
[Verb("compact", HelpText = "Make all that was written to a collection part of its index on disk.")]
internal sealed class CompactArguments : CollectionArguments;
