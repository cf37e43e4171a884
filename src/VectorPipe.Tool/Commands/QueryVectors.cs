using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary>The vectors that <c>vectorpipe query</c> searches for.</summary>
internal static class QueryVectors
{
    /// <summary>Reads the vectors of --vector or --vectors, in the form of the schema; none beside --key.</summary>
    public static async Task<IReadOnlyList<ReadOnlyMemory<byte>>> LoadAsync(
        QueryArguments arguments, CollectionSchema schema, ToolConsole console, CancellationToken cancellationToken)
    {
        if (arguments.Vector is { } list)
            return [VectorJson.Parse(list, schema, "--vector")];
        if (arguments.Vectors is not { } path)
            return [];
        VectorMatrix matrix = await VectorInput.LoadQueriesAsync("--vectors", path, console, cancellationToken);
        matrix.RequireKind("--vectors", schema.ElementType, schema.Dimension, arguments.Folder);
        ReadOnlyMemory<byte> rows = matrix.Bytes;
        return [.. Enumerable.Range(0, matrix.Count).Select(row => rows.Slice(row * matrix.RowBytes, matrix.RowBytes))];
    }

    /// <summary>Searches for one of them; an error says where it comes from.</summary>
    /// <exception cref="UsageException">It cannot be searched for.</exception>
    public static async Task<TResult> SearchAsync<TResult>(QueryArguments arguments, int row, Func<ValueTask<TResult>> search)
    {
        try
        {
            return await search();
        }
        catch (InvalidVectorException e)
        {
            string place = arguments.Vectors is { } path ? $"'{path}', row {row}" : "--vector";
            throw new UsageException($"{place}: {e.Message}", e);
        }
    }
}
