namespace VectorPipe;

/// <summary>An attribute that the records of a collection may have. Immutable.</summary>
/// <param name="Name">Its name, unique in the schema: 1 to 128 bytes of UTF-8, compared byte by byte.</param>
/// <param name="Type">The type of its values.</param>
public sealed record AttributeDefinition(string Name, AttributeType Type);
