using System.Globalization;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe get</c>.</summary>
internal static class GetCommand
{
    // More would not fit into a line.
    private const int ComponentsShown = 8;

    public static async Task<int> RunAsync(GetArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        ulong[] keys = [.. arguments.Keys];
        UsageException.Require(keys.Length > 0, "--key", "none", "one or more keys");
        var options = new OpenOptions { DeviceKind = arguments.ToDeviceKind(), SearchThreads = 1, LoggerFactory = console.Logging };
        await using VectorIndex index = await VectorIndex.OpenAsync(arguments.Index, options, cancellationToken: cancellationToken);
        Task<VectorRecord?>[] lookups = [.. keys.Select(key => index.GetAsync(key, cancellationToken).AsTask())];
        VectorRecord?[] records = await Task.WhenAll(lookups);

        Table table = new Table()
            .AddColumn("key", column => column.RightAligned())
            .AddColumn("found")
            .AddColumn("vector");
        for (int i = 0; i < keys.Length; i++)
            table.AddRow([.. Cells(keys[i], records[i], index.Info.ElementType).Select(cell => new Text(cell))]);
        console.Write(table);
        int found = records.Count(record => record is not null);
        console.WriteLine($"{found} of {keys.Length} keys found");
        return found == keys.Length ? ExitCodes.Ok : ExitCodes.KeyNotFound;
    }

    private static string[] Cells(ulong key, VectorRecord? found, VectorElementType type) =>
        found is null ? [$"{key}", "no", ""] : [$"{key}", "yes", Components(found, type)];

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
        T[] first = vector[..Math.Min(vector.Length, ComponentsShown)].ToArray();
        string text = string.Join(' ', first.Select(component => component.ToString(null, CultureInfo.InvariantCulture)));
        return vector.Length > ComponentsShown ? $"{text} ... ({vector.Length})" : text;
    }
}
