using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe upsert</c>.</summary>
internal sealed class UpsertCommand : ICollectionWork
{
    private const int RowsAtATime = 1024;

    // Bytes of a character in UTF-8, at most.
    private const int BytesPerChar = 3;

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
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: false);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        long written = _arguments.Vectors is null
            ? await WriteLinesAsync(collection, cancellationToken)
            : await _console.WithProgressAsync(progress => WriteVectorsAsync(collection, _arguments.Vectors, progress, cancellationToken));
        _console.WriteLine($"{written} records written, {collection.Count} in the collection");
        return ExitCodes.Ok;
    }

    private async Task<long> WriteVectorsAsync<TKey>(
        VectorCollection<TKey> collection, string path, IProgress<BuildProgress> progress, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        await using VectorSource source = await OpenVectorsAsync(path, cancellationToken);
        CollectionSchema schema = collection.Schema;
        UsageException.Require(
            source.ElementType == schema.ElementType && source.Dimension == schema.Dimension, "--vectors",
            $"{source.ElementType} of dimension {source.Dimension} in '{path}'",
            $"vectors of {schema.ElementType} of dimension {schema.Dimension}, as in '{_arguments.Directory}'");
        using TextReader? lines = _arguments.Keys is { } keysPath && !IsArray(keysPath) ? new StreamReader(keysPath) : null;
        var writer = new RecordWriter<TKey>(collection);
        int rowBytes = (int)(schema.Dimension * BytesOf(schema.ElementType));
        var rows = new byte[RowsAtATime * rowBytes];
        var numbers = new ulong[RowsAtATime];
        long row = 0;
        while (await source.ReadAsync(rows, numbers, cancellationToken) is var read and > 0)
        {
            for (int i = 0; i < read; i++, row++)
            {
                string text = lines is null ? $"{numbers[i]}" : await NextAsync(lines, source.Count, row, cancellationToken);
                string place = lines is null && _arguments.Keys is null ? $"--keys: row {row}" : $"'{_arguments.Keys}': row {row}";
                await AddAsync(writer, place, KeyText<TKey>.Parse(text, place), rows.AsMemory(i * rowBytes, rowBytes), cancellationToken);
            }

            progress.Report(new BuildProgress("write", row, source.Count));
        }

        if (lines is not null && await lines.ReadLineAsync(cancellationToken) is not null)
            throw new UsageException($"--keys: expected {source.Count} keys, one for each vector; found more in '{_arguments.Keys}'.");
        await writer.FlushAsync(cancellationToken);
        await collection.CompactAsync(progress, cancellationToken);
        return writer.Written;
    }

    private async Task<long> WriteLinesAsync<TKey>(VectorCollection<TKey> collection, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        string name = _arguments.Records ?? "standard input";
        using TextReader reader = _arguments.Records is { } path ? new StreamReader(path) : Console.In;
        var writer = new RecordWriter<TKey>(collection);
        for (long number = 1; await reader.ReadLineAsync(cancellationToken) is { } line; number++)
        {
            if (string.IsNullOrWhiteSpace(line))
                continue;
            string place = $"{name}, line {number}";
            try
            {
                RecordLine<TKey> record = RecordLine<TKey>.Parse(line, collection.Schema, place);
                await AddAsync(
                    writer, place, record.Key, record.Vector, cancellationToken, record.Attributes, record.Payload,
                    BytesPerChar * line.Length);
            }
            catch (UsageException e)
            {
                await writer.FlushAsync(cancellationToken);
                throw new UsageException($"{e.Message} {writer.Written} records before it were written.");
            }
        }

        await writer.FlushAsync(cancellationToken);

        // A rebuild that has begun would be given up at the end of the process.
        if (collection.Status.IsRebuilding)
            await _console.WithProgressAsync(progress => collection.CompactAsync(progress, cancellationToken));
        return writer.Written;
    }

    private static async Task AddAsync<TKey>(
        RecordWriter<TKey> writer, string place, TKey key, ReadOnlyMemory<byte> vector, CancellationToken cancellationToken,
        AttributeSet? attributes = null, ReadOnlyMemory<byte> payload = default, int extraBytes = 0)
        where TKey : notnull
    {
        try
        {
            await writer.AddAsync(key, vector, attributes, payload, extraBytes, cancellationToken);
        }
        catch (Exception e) when (e is InvalidRecordException or InvalidVectorException)
        {
            throw new UsageException($"{place}: {e.Message}");
        }
    }

    private Task<VectorSource> OpenVectorsAsync(string path, CancellationToken cancellationToken) =>
        _arguments.Keys is { } keys && IsArray(keys)
            ? VectorSource.OpenFileAsync(path, keys, cancellationToken)
            : VectorSource.OpenFileAsync(path, cancellationToken);

    private async Task<string> NextAsync(TextReader lines, long count, long row, CancellationToken cancellationToken) =>
        await lines.ReadLineAsync(cancellationToken) ?? throw new UsageException(
            $"--keys: expected {count} keys, one for each vector; found {row} in '{_arguments.Keys}'.");

    private static bool IsArray(string path) => Path.GetExtension(path).Equals(".npy", StringComparison.OrdinalIgnoreCase);

    private static long BytesOf(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => sizeof(float),
        VectorElementType.Float16 => sizeof(ushort),
        _ => 1,
    };
}
