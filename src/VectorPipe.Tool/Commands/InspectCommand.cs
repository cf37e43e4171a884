using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe inspect</c>.</summary>
internal static class InspectCommand
{
    public static Task<int> RunAsync(InspectArguments arguments, ToolConsole console)
    {
        IndexInfo info = VectorIndex.Inspect(arguments.Index);
        console.Write(CreateTable(info));
        if (info.Calibration.Count > 0)
            console.Write(CalibrateCommand.CreateTable(info));
        return Task.FromResult(ExitCodes.Ok);
    }

    private static Table CreateTable(IndexInfo info)
    {
        Table table = new Table()
            .AddColumn("property").AddColumn("value", column => column.RightAligned())
            .AddRow("kind", info.Kind == IndexKind.Ivf ? "ivf" : "graph")
            .AddRow("generation", $"{info.Generation}")
            .AddRow("metric", $"{info.Metric}")
            .AddRow("element type", $"{info.ElementType}")
            .AddRow("dimension", $"{info.Dimension}")
            .AddRow("vectors", $"{info.Count}")
            .AddRow("page, bytes", $"{info.PageSize}")
            .AddRow("memory bytes", $"{info.MemoryBytes}")
            .AddRow("disk bytes", $"{info.DiskBytes}");
        foreach ((string name, string value) in info.Details)
            table.AddRow(Markup.Escape(name), Markup.Escape(value));
        return table;
    }
}
