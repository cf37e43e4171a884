using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe inspect</c>.</summary>
internal static class InspectCommand
{
    public static async Task<int> RunAsync(InspectArguments arguments, ToolConsole console)
    {
        JsonObject document;
        if (VectorCollection.Exists(arguments.Folder))
        {
            CollectionInfo collection = VectorCollection.Inspect(arguments.Folder);
            Show(collection, console);
            document = InspectJson.Of(collection);
        }
        else
        {
            IndexInfo index = VectorIndex.Inspect(arguments.Folder);
            Show(index, console);
            document = InspectJson.Of(index);
        }

        await console.WriteDocumentAsync(document, InspectJson.Properties(document, ""));
        return ExitCodes.Ok;
    }

    private static void Show(IndexInfo info, ToolConsole console)
    {
        console.Write(CreateTable(info));
        if (info.Calibration.Count > 0)
            console.Write(CalibrateCommand.CreateTable(info));
    }

    private static void Show(CollectionInfo info, ToolConsole console)
    {
        Table table = new Table()
            .AddColumn("property").AddColumn("value", column => column.RightAligned())
            .AddRow("kind", "collection")
            .AddRow("key type", CollectionChoices.NameOf(info.KeyType))
            .AddRow("metric", $"{info.Schema.Metric}")
            .AddRow("element type", $"{info.Schema.ElementType}")
            .AddRow("dimension", $"{info.Schema.Dimension}");
        foreach (AttributeDefinition attribute in info.Schema.Attributes)
            table.AddRow(Markup.Escape($"attribute {attribute.Name}"), CollectionChoices.NameOf(attribute.Type));
        foreach ((string name, string value) in info.Details)
            table.AddRow(Markup.Escape(name), Markup.Escape(value));
        console.Write(table);
        if (info.Index is null)
        {
            console.WriteLine("no index yet: all writes wait for the first rebuild");
            return;
        }

        console.WriteLine(info.Index.Directory);
        Show(info.Index, console);
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
