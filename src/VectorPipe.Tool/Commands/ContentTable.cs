using Spectre.Console;

namespace VectorPipe.Tool.Commands;

/// <summary>What an index's pages and memory hold of a vector, how it came out, and which option of a build says otherwise.</summary>
internal static class ContentTable
{
    /// <summary>The table.</summary>
    public static Table Create(IndexInfo info)
    {
        bool isMerged = info.Layout == IndexLayout.Merged;
        Table table = new Table()
            .AddColumn("what a vector takes")
            .AddColumn("value", column => column.RightAligned())
            .AddColumn("of memory", column => column.RightAligned())
            .AddColumn("changed by")
            .AddRow("original vector, bytes", $"{info.VectorBytes} ({info.ElementType})", "", "")
            .AddRow("vector in a page, bytes", $"{info.PageVectorBytes} ({info.PageElementType})", "", isMerged ? "--page-vectors" : "")
            .AddRow("original vectors are", Kept(info), "", "--drop-vectors")
            .AddRow("page, bytes", $"{info.PageSize}", "", isMerged ? "--page-size" : "")
            .AddRow("nodes a page", $"{info.NodesPerPage}", "", "")
            .AddRow("replicas a page, at most", $"{info.ReplicasPerPage}", "", "")
            .AddRow("links of a page, bytes", $"{info.LinkBytesPerPage}", "", "")
            .AddRow(isMerged ? "room for links a node, about" : "room for links a node", $"{info.LinkRoomPerNode:F0}", "", "")
            .AddRow("links of a page in memory, bytes", $"{info.PageGraphBytesPerPage}", "", "");
        AddMemory(table, info, $"code ({info.Code}), bytes a vector", info.CodeMemoryBytes, "");
        AddMemory(table, info, "page graph, bytes a vector", info.PageGraphMemoryBytes, "");
        AddMemory(table, info, "code book, bytes a vector", info.CodeBookMemoryBytes, "");
        AddMemory(table, info, "memory, bytes a vector", info.MemoryBytes, isMerged ? "--memory-per-vector" : "");
        return table;
    }

    private static string Kept(IndexInfo info) =>
        !info.HasGivenVectors ? "dropped" : info.PageElementType == info.ElementType ? "in the pages" : "in a file apart";

    private static void AddMemory(Table table, IndexInfo info, string what, long bytes, string option) =>
        table.AddRow(what, $"{(double)bytes / info.Count:F1}", $"{(double)bytes / info.MemoryBytes:P0}", option);
}
