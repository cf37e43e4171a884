using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Collections.Columns;
using VectorPipe.Tool.Collections.Rows;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe upsert</c>.</summary>
internal sealed class UpsertCommand : ICollectionWork
{
    private const int RowsOfAReport = 1024;

    private readonly UpsertArguments _arguments;
    private readonly ToolConsole _console;

    private UpsertCommand(UpsertArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
    }

    public static Task<int> RunAsync(UpsertArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        return CollectionWork.RunAsync(arguments.Directory, new UpsertCommand(arguments, console), cancellationToken);
    }

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        await using IRecordRows<TKey> rows = await OpenRowsAsync<TKey>(info.Schema, cancellationToken);
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: false);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        long written = rows.Count is { } count
            ? await _console.WithProgressAsync(progress => WriteAsync(collection, rows, progress, count, cancellationToken))
            : await WriteAsync(collection, rows, progress: null, 0, cancellationToken);

        // A rebuild that has begun would be given up at the end of the process.
        if (_arguments.Vectors is not null || collection.Status.IsRebuilding)
            await _console.WithProgressAsync(progress => collection.CompactAsync(progress, cancellationToken));
        _console.WriteLine($"{written} records written, {collection.Count} in the collection");
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["written"] = written,
            ["records"] = collection.Count,
        });
        return ExitCodes.Ok;
    }

    private async Task<IRecordRows<TKey>> OpenRowsAsync<TKey>(CollectionSchema schema, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        if (_arguments.Vectors is { } vectors)
            return await VectorRecords<TKey>.OpenAsync(
                vectors, _arguments.Keys, _arguments.Attributes, schema, _console, cancellationToken);
        if (_arguments.Records is not { } path)
            return new LineRecords<TKey>(Console.In, "standard input", schema);
        return ColumnFile.IsNamed(path)
            ? await ColumnRecords<TKey>.OpenAsync(path, schema, cancellationToken)
            : new LineRecords<TKey>(new StreamReader(path), path, schema);
    }

    private static async Task<long> WriteAsync<TKey>(
        VectorCollection<TKey> collection, IRecordRows<TKey> rows, IProgress<BuildProgress>? progress, long count,
        CancellationToken cancellationToken)
        where TKey : notnull
    {
        var writer = new RecordWriter<TKey>(collection);
        try
        {
            for (long done = 1; await rows.NextAsync(cancellationToken) is { } row; done++)
            {
                await writer.AddAsync(row, cancellationToken);
                if (done % RowsOfAReport == 0 || done == count)
                    progress?.Report(new BuildProgress("write", done, count));
            }
        }
        catch (Exception e) when (e is UsageException or VectorFormatException)
        {
            await writer.FlushAsync(cancellationToken);
            throw new UsageException($"{e.Message} Records written: {writer.Written}.", e);
        }

        await writer.FlushAsync(cancellationToken);
        return writer.Written;
    }
}
