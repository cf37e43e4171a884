using CommandLine;
using VectorPipe.Storage;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe verify</c>.</summary>
[Verb("verify", HelpText = "Check every page of every file of an index.")]
internal sealed class VerifyArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("threads", HelpText = "(Default: processors) Worker threads.")]
    public int? Threads { get; set; }

    public override string Verb => "verify";
}

/// <summary><c>vectorpipe verify</c>.</summary>
internal static class VerifyCommand
{
    /// <summary>Checks the index; every defect is a line of the output, and any is an error.</summary>
    public static async Task<int> RunAsync(VerifyArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        int threads = arguments.Threads ?? Environment.ProcessorCount;
        UsageException.Require(threads is >= 1 and <= 1024, "--threads", threads, "1 to 1024");
        VerifyReport report = await console.WithProgressAsync(
            progress => VectorIndex.VerifyAsync(arguments.Index, threads, progress, cancellationToken));
        foreach (string defect in report.Defects)
            console.WriteLine(defect);
        if (!report.IsSound)
            throw new IndexCorruptException(arguments.Index, $"expected {report.Pages} sound pages; found {report.Defects.Count} defects");
        console.WriteLine($"{report.Pages} pages, no defects");
        return ExitCodes.Ok;
    }
}
