using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe create</c>.</summary>
internal static class CreateCommand
{
    public static async Task<int> RunAsync(CreateArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(arguments.Dimension is >= 1 and <= 32_768, "--dimension", arguments.Dimension, "1 to 32768");
        var schema = new CollectionSchema
        {
            Dimension = arguments.Dimension,
            Metric = Choices.Metric(arguments.Metric),
            ElementType = Choices.ElementType(arguments.Type),
            Attributes = [.. arguments.Attributes.Select(CollectionChoices.Attribute)],
        };
        KeyType keyType = CollectionChoices.ParseKeyType(arguments.KeyType);
        UsageException.Require(
            !VectorCollection.Exists(arguments.Directory), "DIR", $"one in '{arguments.Directory}'", "a folder without a collection");
        await (keyType switch
        {
            KeyType.UInt64 => CreateAsync<ulong>(arguments.Directory, schema, cancellationToken),
            KeyType.Int64 => CreateAsync<long>(arguments.Directory, schema, cancellationToken),
            KeyType.Int32 => CreateAsync<int>(arguments.Directory, schema, cancellationToken),
            KeyType.Guid => CreateAsync<Guid>(arguments.Directory, schema, cancellationToken),
            _ => CreateAsync<string>(arguments.Directory, schema, cancellationToken),
        });
        console.WriteLine(
            $"{arguments.Directory}: a collection of {schema.Dimension} x {Choices.NameOf(schema.ElementType)} "
            + $"({arguments.Metric}), keys of type {CollectionChoices.NameOf(keyType)}, {schema.Attributes.Count} attributes");
        await console.WriteDocumentAsync(new JsonObject
        {
            ["directory"] = arguments.Directory,
            ["dimension"] = schema.Dimension,
            ["type"] = Choices.NameOf(schema.ElementType),
            ["metric"] = Choices.NameOf(schema.Metric),
            ["key_type"] = CollectionChoices.NameOf(keyType),
            ["attributes"] = schema.Attributes.Count,
        });
        return ExitCodes.Ok;
    }

    private static async Task CreateAsync<TKey>(string directory, CollectionSchema schema, CancellationToken cancellationToken)
        where TKey : notnull =>
        await (await VectorCollection<TKey>.OpenAsync(directory, schema, cancellationToken: cancellationToken)).DisposeAsync();
}
