using System.Globalization;
using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe get</c>.</summary>
internal static class GetCommand
{
    // Their reads are in flight together.
    private const int KeysAtATime = 1024;

    public static Task<int> RunAsync(GetArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        return VectorCollection.Exists(arguments.Folder)
            ? CollectionWork.RunAsync(arguments.Folder, new GetRecords(arguments, console), cancellationToken)
            : GetVectorsAsync(arguments, console, cancellationToken);
    }

    private static async Task<int> GetVectorsAsync(GetArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        IReadOnlyList<ulong> keys = await arguments.ToKeysAsync<ulong>(cancellationToken);
        var options = new OpenOptions { DeviceKind = arguments.ToDeviceKind(), SearchThreads = 1, LoggerFactory = console.Logging };
        await using VectorIndex index = await VectorIndex.OpenAsync(arguments.Folder, options, cancellationToken: cancellationToken);
        Table table = CreateTable(["vector"]);
        var lines = new RowLines(console, ["key", "vector"]);
        int found = 0;
        foreach (ulong[] some in keys.Chunk(KeysAtATime))
        {
            VectorRecord?[] records = await Task.WhenAll(some.Select(key => index.GetAsync(key, cancellationToken).AsTask()));
            for (int i = 0; i < some.Length; i++)
            {
                string vector = records[i] is { } record ? RowText.Components(index.Info.ElementType, record.Bytes.Span) : "";
                AddRow(table, some[i].ToString(CultureInfo.InvariantCulture), records[i] is not null, [vector]);
                if (records[i] is not { } there)
                    continue;
                found++;
                await lines.WriteAsync(new JsonObject
                {
                    ["key"] = some[i],
                    ["vector"] = VectorJson.ToJson(index.Info.ElementType, there.Bytes.Span),
                });
            }
        }

        console.Write(table);
        await lines.CompleteAsync();
        return Report(console, found, keys.Count);
    }

    private static Table CreateTable(IEnumerable<string> headings)
    {
        Table table = new Table().AddColumn("key", column => column.RightAligned()).AddColumn("found");
        foreach (string heading in headings)
            table.AddColumn(heading);
        return table;
    }

    private static void AddRow(Table table, string key, bool isFound, IEnumerable<string> cells) =>
        table.AddRow([new Text(key), new Text(isFound ? "yes" : "no"), .. cells.Select(cell => new Text(cell))]);

    private static int Report(ToolConsole console, int found, int keys)
    {
        console.WriteLine($"{found} of {keys} keys found");
        return found == keys ? ExitCodes.Ok : ExitCodes.KeyNotFound;
    }

    private sealed class GetRecords(GetArguments arguments, ToolConsole console) : ICollectionWork
    {
        public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
            where TKey : notnull, IParsable<TKey>
        {
            IReadOnlyList<TKey> keys = await arguments.ToKeysAsync<TKey>(cancellationToken);
            var options = new CollectionOptions
            {
                ReadOnly = true,
                Open = new OpenOptions { DeviceKind = arguments.ToDeviceKind(), SearchThreads = 1, LoggerFactory = console.Logging },
            };
            await using var collection = await VectorCollection<TKey>.OpenAsync(arguments.Folder, options, cancellationToken);
            Include include = info.Schema.Attributes.Count > 0 ? Include.All : Include.Vector | Include.Payload;
            var lines = new RowLines(console, ["key", .. RowText.Names(include)]);
            Table table = CreateTable(RowText.Headings(include));
            int found = 0;
            foreach (TKey key in keys)
            {
                CollectionRecord<TKey>? record = await collection.GetAsync(key, include, cancellationToken);
                IEnumerable<string> cells = record is null
                    ? []
                    : RowText.Cells(include, record.ElementType, record.Bytes, record.Attributes, record.Payload);
                AddRow(table, KeyText<TKey>.ToText(key), record is not null, cells);
                if (record is null)
                    continue;
                found++;
                await lines.WriteAsync(RecordLine<TKey>.ToJson(record, include));
            }

            console.Write(table);
            await lines.CompleteAsync();
            return Report(console, found, keys.Count);
        }
    }
}
