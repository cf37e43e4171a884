using System.Globalization;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Numerics;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe get</c>.</summary>
internal static class GetCommand
{
    /// <summary>Components of a vector that fit into a line.</summary>
    private const int ComponentsShown = 8;

    /// <summary>Shows what the index holds under each key.</summary>
    /// <returns>0 if it holds all of them.</returns>
    public static async Task<int> RunAsync(GetArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        ulong[] keys = [.. arguments.Keys];
        UsageException.Require(keys.Length > 0, "--key", "none", "one or more keys");
        var options = new OpenOptions { Device = arguments.ToDeviceOptions(), SearchThreads = 1 };
        await using VectorIndex index = await VectorIndex.OpenAsync(arguments.Index, options, cancellationToken);
        Task<VectorRecord?>[] lookups = [.. keys.Select(key => index.GetAsync(key, arguments.Links, cancellationToken).AsTask())];
        VectorRecord?[] records = await Task.WhenAll(lookups);

        Table table = new Table().AddColumn("key", column => column.RightAligned()).AddColumn("found").AddColumn("reads", column => column.RightAligned()).AddColumn("vector");
        if (arguments.Links)
            table.AddColumn("node", column => column.RightAligned()).AddColumn("links");
        for (int i = 0; i < keys.Length; i++)
            table.AddRow([.. Cells(keys[i], records[i], index.Info.ElementType, arguments.Links).Select(cell => new Text(cell))]);
        console.Write(table);
        int found = records.Count(record => record is not null);
        console.WriteLine($"{found} of {keys.Length} keys found");
        return found == keys.Length ? ExitCodes.Ok : ExitCodes.KeyNotFound;
    }

    private static List<string> Cells(ulong key, VectorRecord? found, VectorElementType type, bool links)
    {
        if (found is not { } record)
            return links ? [$"{key}", "no", "", "", "", ""] : [$"{key}", "no", "", ""];
        using (record)
        {
            List<string> cells = [$"{key}", "yes", $"{record.Reads}", Components(record, type)];
            if (links)
                cells.AddRange([$"{record.NodeId}", string.Join(' ', record.Links.ToArray())]);
            return cells;
        }
    }

    private static string Components(VectorRecord record, VectorElementType type) => type switch
    {
        VectorElementType.Float32 => First(record.GetVector<float>()),
        VectorElementType.Float16 => First(record.GetVector<Half>()),
        VectorElementType.UInt8 => First(record.GetVector<byte>()),
        _ => First(record.GetVector<sbyte>()),
    };

    private static string First<T>(ReadOnlySpan<T> vector)
        where T : IFormattable
    {
        string text = string.Join(' ', vector[..Math.Min(vector.Length, ComponentsShown)].ToArray().Select(component => component.ToString(null, CultureInfo.InvariantCulture)));
        return vector.Length > ComponentsShown ? $"{text} ... ({vector.Length})" : text;
    }
}
