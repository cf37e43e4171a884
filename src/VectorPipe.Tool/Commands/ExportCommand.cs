using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe export</c>.</summary>
[Verb("export", HelpText = "Write the vectors, keys and graph of an index to files that other tools read.")]
internal sealed class ExportArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("out", Required = true, HelpText = "What the files' names begin with: OUT.vectors.fbin (.u8bin, .i8bin, .npy), OUT.keys.npy, OUT.graph.bin.")]
    public string Out { get; set; } = "";

    public override string Verb => "export";
}

/// <summary><c>vectorpipe export</c>.</summary>
internal static class ExportCommand
{
    /// <summary>Writes the files and names them.</summary>
    public static async Task<int> RunAsync(ExportArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        OutputFile.RequireFolder(arguments.Out);
        var exporter = new IndexExporter(arguments.Index);
        IndexExportReport report = await console.WithProgressAsync(progress => exporter.ExportAsync(arguments.Out, progress, cancellationToken));
        foreach (string file in new[] { report.VectorFile, report.KeyFile, report.GraphFile })
            console.WriteLine(file);
        console.WriteLine($"{report.Points} points");
        return ExitCodes.Ok;
    }
}
