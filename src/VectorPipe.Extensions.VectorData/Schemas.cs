using System.Globalization;
using Microsoft.Extensions.VectorData.ProviderServices;
using Kinds = Microsoft.Extensions.VectorData.IndexKind;

namespace VectorPipe.Extensions.VectorData;

/// <summary>From the model of a record to the schema of its collection.</summary>
internal static class Schemas
{
    /// <summary>The schema of a model. Indexed data properties are attributes; the others are part of the payload.</summary>
    /// <exception cref="NotSupportedException">The distance function or the kind of index is not one of ours.</exception>
    public static CollectionSchema Of(CollectionModel model)
    {
        VectorPropertyModel vector = model.VectorProperty;
        if (vector.IndexKind is not (null or Kinds.DiskAnn or Kinds.Dynamic or Kinds.Flat))
        {
            throw new NotSupportedException(
                $"Expected IndexKind {Kinds.DiskAnn}, {Kinds.Dynamic}, {Kinds.Flat} (exact search) or none for "
                + $"{vector.ModelName}, found {vector.IndexKind}.");
        }

        return new CollectionSchema
        {
            Dimension = vector.Dimensions,
            Metric = ScoreScale.Of(vector).Metric,
            Attributes = [.. model.DataProperties.Where(property => property.IsIndexed).Select(Attribute)],
        };
    }

    /// <summary>A schema in words.</summary>
    public static string Describe(this CollectionSchema schema) => string.Create(
        CultureInfo.InvariantCulture,
        $"{schema.Dimension} x {schema.ElementType}, {schema.Metric}, "
        + $"({string.Join(", ", schema.Attributes.Select(attribute => $"{attribute.Name} {attribute.Type}"))})");

    /// <summary>Type of the attribute that a property is.</summary>
    public static AttributeType AttributeTypeOf(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(bool))
            return AttributeType.Boolean;
        if (type == typeof(short) || type == typeof(int) || type == typeof(long))
            return AttributeType.Int64;
        if (type == typeof(float) || type == typeof(double))
            return AttributeType.Double;
        if (type == typeof(string))
            return AttributeType.String;
        if (type == typeof(Guid))
            return AttributeType.Guid;
        return type == typeof(DateTime) || type == typeof(DateTimeOffset) ? AttributeType.DateTimeOffset : AttributeType.StringSet;
    }

    private static AttributeDefinition Attribute(DataPropertyModel property) => new(property.StorageName, AttributeTypeOf(property.Type));
}
