using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Files of attributes, by their names.</summary>
internal static class AttributeRows
{
    public const string Extensions = ".jsonl, .ndjson, .json, " + ColumnFile.Extensions;

    /// <summary>Whether the name of a file is that of a file of attributes.</summary>
    public static bool IsNamed(string path) =>
        ColumnFile.IsNamed(path) || Path.GetExtension(path).ToLowerInvariant() is ".jsonl" or ".ndjson" or ".json";

    /// <summary>Opens a file of attributes.</summary>
    /// <param name="vectors">Number of the vectors that they belong to.</param>
    public static async Task<IAttributeRows> OpenAsync(
        string path, CollectionSchema schema, long vectors, CancellationToken cancellationToken) =>
        ColumnFile.IsNamed(path)
            ? await ColumnAttributes.OpenAsync(path, schema, vectors, cancellationToken)
            : new AttributeLines(path, schema, vectors);
}
