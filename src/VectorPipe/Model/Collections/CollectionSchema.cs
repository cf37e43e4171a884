using VectorPipe.Model;
using VectorPipe.Model.Errors;

namespace VectorPipe;

/// <summary>The vectors and attributes of a collection; fixed when it is created. Immutable.</summary>
/// <remarks>Schemas with the same members are equal; attributes must be the same in the same order.</remarks>
public sealed record CollectionSchema
{
    /// <summary>Components of a vector, 1 to 32,768.</summary>
    public required int Dimension { get; init; }

    /// <summary>The distance. Default: cosine.</summary>
    public DistanceMetric Metric { get; init; } = DistanceMetric.Cosine;

    /// <summary>Type of a component. Default: float32.</summary>
    public VectorElementType ElementType { get; init; } = VectorElementType.Float32;

    /// <summary>Attributes that a record may have, at most 64 with different names. Default: none.</summary>
    /// <remarks>Every record may leave out any of them.</remarks>
    public IReadOnlyList<AttributeDefinition> Attributes { get; init; } = [];

    /// <summary>Whether both have the same members.</summary>
    /// <param name="other">Another schema.</param>
    public bool Equals(CollectionSchema? other) => other is not null && FindDifference(other) is null;

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = new HashCode();
        hash.Add(Dimension);
        hash.Add(Metric);
        hash.Add(ElementType);
        foreach (AttributeDefinition attribute in Attributes)
            hash.Add(attribute);
        return hash.ToHashCode();
    }

    /// <summary>The schema, checked, with a list of its own.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A member is out of its range, or a name is used twice.</exception>
    internal CollectionSchema Validated()
    {
        Require.That(Dimension is >= 1 and <= SchemaLimits.MaxDimension, nameof(Dimension), Dimension, "1 to 32,768");
        Require.That(Enum.IsDefined(Metric), nameof(Metric), Metric, "a known metric");
        Require.That(Enum.IsDefined(ElementType), nameof(ElementType), ElementType, "a known element type");
        Require.That(Attributes is not null, nameof(Attributes), Attributes, "a list, which may be empty");
        AttributeDefinition[] attributes = [.. Attributes!];
        Require.That(attributes.Length <= SchemaLimits.MaxAttributes, nameof(Attributes), attributes.Length, "at most 64 attributes");
        var names = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < attributes.Length; i++)
            Validate(attributes[i], $"{nameof(Attributes)}[{i}]", names);
        return this with { Attributes = attributes };
    }

    /// <summary>The first member that differs, with its value here and in the stored schema; null if none does.</summary>
    internal string? FindDifference(CollectionSchema stored)
    {
        if (Dimension != stored.Dimension)
            return Difference(nameof(Dimension), Dimension, stored.Dimension);
        if (Metric != stored.Metric)
            return Difference(nameof(Metric), Metric, stored.Metric);
        if (ElementType != stored.ElementType)
            return Difference(nameof(ElementType), ElementType, stored.ElementType);
        for (int i = 0; i < Math.Min(Attributes.Count, stored.Attributes.Count); i++)
        {
            if (Attributes[i] != stored.Attributes[i])
                return Difference($"{nameof(Attributes)}[{i}]", Describe(Attributes[i]), Describe(stored.Attributes[i]));
        }

        return Attributes.Count == stored.Attributes.Count
            ? null
            : Difference("Number of attributes", Attributes.Count, stored.Attributes.Count);
    }

    private static void Validate(AttributeDefinition attribute, string place, HashSet<string> names)
    {
        Require.That(attribute?.Name is not null, place, attribute, "an attribute with a name");
        Span<byte> bytes = stackalloc byte[SchemaLimits.MaxAttributeNameBytes];
        bool isName = Utf8Text.TryWrite(attribute!.Name, bytes, out int length, out _) && length > 0;
        Require.That(isName, place, attribute.Name, "a name of 1 to 128 bytes of UTF-8");
        Require.That(names.Add(attribute.Name), place, attribute.Name, "a name that no attribute before it has");
        Require.That(Enum.IsDefined(attribute.Type), place, attribute.Type, "a known attribute type");
    }

    private static string Describe(AttributeDefinition attribute) => $"{attribute.Name} ({attribute.Type})";

    private static string Difference(string member, object expected, object found) => $"{member}: expected {expected}, found {found}";
}
