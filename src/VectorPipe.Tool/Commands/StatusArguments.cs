using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe status</c>.</summary>
[Verb("status", HelpText =
    "Show how many records a collection has, and how many writes wait for a rebuild. Another process may write to it.")]
internal sealed class StatusArguments : CollectionArguments;
