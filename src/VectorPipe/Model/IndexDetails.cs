using System.Globalization;

namespace VectorPipe.Model;

/// <summary>Writes out an index's description for people, one name and one value a line.</summary>
internal static class IndexDetails
{
    /// <summary>The lines, in the order in which they are to be read.</summary>
    public static IReadOnlyList<KeyValuePair<string, string>> Of(IndexInfo info)
    {
        var lines = new List<KeyValuePair<string, string>>();
        if (info.Kind == IndexKind.Ivf)
            AddLists(lines, info);
        else
            AddGraph(lines, info);
        Add(lines, "seed of the build", $"{info.Seed}");
        Add(lines, "key buckets", $"{info.KeyBuckets}");
        Add(lines, "longest key chain, pages", $"{info.LongestKeyChain}");
        AddMemory(lines, info);
        foreach (IndexFileInfo file in info.Files)
            AddFile(lines, file);
        return lines;
    }

    /// <summary>Adds the line of a file.</summary>
    public static void AddFile(List<KeyValuePair<string, string>> lines, IndexFileInfo file) =>
        Add(lines, $"file, {file.Role}", $"{file.Name}: {file.PageCount:N0} pages of {file.PageSize} bytes, {file.Length:N0} bytes");

    private static void AddLists(List<KeyValuePair<string, string>> lines, IndexInfo info)
    {
        Add(lines, "lists", $"{info.Lists}");
        Add(lines, "vectors a list, mean", $"{(double)info.Count / Math.Max(1, info.Lists):F1}");
        if (info.CodedLists)
            Add(lines, "lists are scanned by", $"codes of {info.CodeBytes} bytes ({info.Code})");
        else
            Add(lines, "lists are scanned by", $"vectors");
        Add(lines, "vectors a page", $"{info.NodesPerPage}");
        Add(lines, "links of a centroid, at most", $"{info.MaxDegree}");
    }

    private static void AddGraph(List<KeyValuePair<string, string>> lines, IndexInfo info)
    {
        bool isMerged = info.Layout == IndexLayout.Merged;
        Add(lines, "layout", $"{(isMerged ? "merged" : "plain")}");
        Add(lines, "links of a node, at most", $"{info.MaxDegree}");
        Add(lines, "links of a node, mean", $"{info.MeanDegree:F2}");
        Add(lines, "room for links in a page, a node", $"{(isMerged ? "about " : "")}{info.LinkRoomPerNode:F0}");
        Add(lines, "nodes a page", $"{info.NodesPerPage}");
        Add(lines, "replicas a page, at most", $"{info.ReplicasPerPage}");
        Add(lines, "links of a page, bytes", $"{info.LinkBytesPerPage}");
        Add(lines, "links of a page in memory, bytes", $"{info.PageGraphBytesPerPage}");
        Add(lines, "original vector, bytes", $"{info.VectorBytes} ({info.ElementType})");
        Add(lines, "vector in a page, bytes", $"{info.PageVectorBytes} ({info.PageElementType})");
        Add(lines, "original vectors", $"{OriginalVectors(info)}");
        Add(lines, "code", $"{info.Code}, {info.CodeBytes} bytes");
        Add(lines, "entry point", $"{info.EntryPoint}");
        Add(lines, "list size of the build", $"{info.BuildListSize}");
        Add(lines, "alpha", $"{info.Alpha:G4}");
    }

    private static string OriginalVectors(IndexInfo info) =>
        !info.HasOriginalVectors ? "dropped" : info.PageElementType == info.ElementType ? "in the pages" : "in a file of their own";

    private static void AddMemory(List<KeyValuePair<string, string>> lines, IndexInfo info)
    {
        AddShare("codes", info.CodeMemoryBytes);
        AddShare("page graph", info.PageGraphMemoryBytes);
        AddShare("centroids", info.ListMemoryBytes);
        AddShare("code book", info.CodeBookMemoryBytes);
        AddShare("all", info.MemoryBytes);

        void AddShare(string name, long bytes)
        {
            if (bytes > 0)
                Add(lines, $"memory, {name}", $"{bytes:N0} bytes, {(double)bytes / Math.Max(1, info.Count):F1} a vector");
        }
    }

    private static void Add(List<KeyValuePair<string, string>> lines, string name, FormattableString value) =>
        lines.Add(new(name, value.ToString(CultureInfo.InvariantCulture)));
}
