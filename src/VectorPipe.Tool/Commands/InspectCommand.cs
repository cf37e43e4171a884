using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe inspect</c>.</summary>
internal static class InspectCommand
{
    /// <summary>Shows the schema, what a vector takes, and the files.</summary>
    public static Task<int> RunAsync(InspectArguments arguments, ToolConsole console)
    {
        IndexInfo info = VectorIndex.Inspect(arguments.Index);
        console.Write(info.Kind == IndexKind.Ivf ? CreateListSchema(info) : CreateSchema(info));
        if (info.Kind == IndexKind.Graph)
            console.Write(ContentTable.Create(info));
        console.Write(CreateFiles(info));
        if (info.Calibration.Count > 0)
            console.Write(CalibrateCommand.CreateTable(info));
        return Task.FromResult(ExitCodes.Ok);
    }

    private static Table CreateSchema(IndexInfo info) => new Table()
        .AddColumn("property").AddColumn("value", column => column.RightAligned())
        .AddRow("generation", $"{info.Generation}")
        .AddRow("metric", $"{info.Metric}")
        .AddRow("element type", $"{info.ElementType}")
        .AddRow("dimension", $"{info.Dimension}")
        .AddRow("vectors", $"{info.Count}")
        .AddRow("layout", info.Layout == IndexLayout.Merged ? "merged" : "plain")
        .AddRow("max degree", $"{info.MaxDegree}")
        .AddRow("mean degree", $"{info.MeanDegree:F2}")
        .AddRow("entry point", $"{info.EntryPoint}")
        .AddRow("build list size", $"{info.BuildListSize}")
        .AddRow("alpha", $"{info.Alpha:G4}")
        .AddRow("seed", $"{info.Seed}")
        .AddRow("key buckets", $"{info.KeyBuckets}")
        .AddRow("longest key chain (pages)", $"{info.LongestKeyChain}")
        .AddRow("memory bytes", $"{info.MemoryBytes}");

    private static Table CreateListSchema(IndexInfo info) => new Table()
        .AddColumn("property").AddColumn("value", column => column.RightAligned())
        .AddRow("generation", $"{info.Generation}")
        .AddRow("kind", "ivf")
        .AddRow("metric", $"{info.Metric}")
        .AddRow("element type", $"{info.ElementType}")
        .AddRow("dimension", $"{info.Dimension}")
        .AddRow("vectors", $"{info.Count}")
        .AddRow("lists", $"{info.Lists}")
        .AddRow("vectors a list, mean", $"{(double)info.Count / info.Lists:F1}")
        .AddRow("lists are scanned by", info.CodedLists ? $"codes of {info.CodeBytes} bytes ({info.Code})" : "vectors")
        .AddRow("page, bytes", $"{info.PageSize}")
        .AddRow("vectors a page", $"{info.NodesPerPage}")
        .AddRow("links of a centroid, at most", $"{info.MaxDegree}")
        .AddRow("seed", $"{info.Seed}")
        .AddRow("key buckets", $"{info.KeyBuckets}")
        .AddRow("longest key chain (pages)", $"{info.LongestKeyChain}")
        .AddRow("memory bytes", $"{info.MemoryBytes}")
        .AddRow("memory, bytes a vector", $"{(double)info.MemoryBytes / info.Count:F1}");

    private static Table CreateFiles(IndexInfo info)
    {
        Table table = new Table().AddColumn("role").AddColumn("file");
        foreach (string number in new[] { "page bytes", "pages", "bytes" })
            table.AddColumn(number, column => column.RightAligned());
        foreach (IndexFileInfo file in info.Files)
            table.AddRow(Markup.Escape(file.Role), Markup.Escape(file.Name), $"{file.PageSize}", $"{file.PageCount}", $"{file.Length}");
        return table;
    }
}
