namespace VectorPipe.Tool.Collections;

/// <summary>Names of a collection's types on the command line.</summary>
internal static class CollectionChoices
{
    private static readonly Choice<KeyType> _keyTypes = new(
        "--key-type",
        [
            ("ulong", KeyType.UInt64), ("long", KeyType.Int64), ("int", KeyType.Int32), ("guid", KeyType.Guid), ("string", KeyType.String),
        ]);

    private static readonly Choice<AttributeType> _attributeTypes = new(
        "--attribute",
        [
            ("bool", AttributeType.Boolean), ("long", AttributeType.Int64), ("double", AttributeType.Double),
            ("string", AttributeType.String), ("guid", AttributeType.Guid), ("time", AttributeType.DateTimeOffset),
            ("strings", AttributeType.StringSet),
        ]);

    private static readonly Choice<Include> _includes = new(
        "--include", [("vector", Include.Vector), ("attributes", Include.Attributes), ("payload", Include.Payload), ("all", Include.All)]);

    /// <summary>The options whose values are names alone, for completion.</summary>
    public static IReadOnlyList<IChoice> All => [_keyTypes, _includes];

    public static KeyType ParseKeyType(string name) => _keyTypes.Parse(name);

    public static string NameOf(KeyType type) => _keyTypes.NameOf(type);

    public static string NameOf(AttributeType type) => _attributeTypes.NameOf(type);

    public static Include Includes(IEnumerable<string> names) =>
        names.Aggregate(Include.Key, (include, name) => include | _includes.Parse(name));

    /// <summary>The attribute that <c>name:type</c> defines.</summary>
    public static AttributeDefinition Attribute(string definition)
    {
        int colon = definition.LastIndexOf(':');
        UsageException.Require(colon > 0, "--attribute", $"'{definition}'", "a name and a type, as in year:long");
        return new AttributeDefinition(definition[..colon], _attributeTypes.Parse(definition[(colon + 1)..]));
    }
}
