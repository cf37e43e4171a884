using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model;

namespace VectorPipe.Collections.Attributes;

/// <summary>A collection's schema as bytes.</summary>
/// <remarks>
/// u16 dimension, u8 metric, u8 element type, u8 number of attributes; for each attribute u8 type and its name: u16 length, UTF-8.
/// </remarks>
internal static class SchemaCodec
{
    /// <param name="schema">A schema that was validated.</param>
    public static byte[] Write(CollectionSchema schema)
    {
        var writer = new ArrayBufferWriter<byte>();
        writer.WriteUInt16(schema.Dimension);
        writer.WriteByte((byte)schema.Metric);
        writer.WriteByte((byte)schema.ElementType);
        writer.WriteByte((byte)schema.Attributes.Count);
        foreach ((string name, AttributeType type) in schema.Attributes)
        {
            writer.WriteByte((byte)type);
            if (!writer.TryWriteText(name, SchemaLimits.MaxAttributeNameBytes, out string? found))
                throw new ArgumentException($"Expected a validated schema, found a name with {found}.", nameof(schema));
        }

        return writer.WrittenSpan.ToArray();
    }

    /// <summary>Reads a schema; false, and never an error, if the bytes are not a whole and valid one.</summary>
    public static bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CollectionSchema? schema)
    {
        schema = null;
        var reader = new ByteReader(bytes);
        if (!reader.TryReadUInt16(out int dimension) || !reader.TryReadByte(out byte metric) || !reader.TryReadByte(out byte elementType)
            || !reader.TryReadByte(out byte count))
            return false;
        var attributes = new AttributeDefinition[count];
        for (int i = 0; i < count; i++)
        {
            if (!reader.TryReadByte(out byte type) || !reader.TryReadText(SchemaLimits.MaxAttributeNameBytes, out string? name))
                return false;
            attributes[i] = new AttributeDefinition(name, (AttributeType)type);
        }

        if (reader.Left > 0)
            return false;
        schema = new CollectionSchema
        {
            Dimension = dimension,
            Metric = (DistanceMetric)metric,
            ElementType = (VectorElementType)elementType,
            Attributes = attributes,
        };
        return TryValidate(ref schema);
    }

    // The ranges are stated once, in Validated; only damage and newer versions take the way of the exception.
    private static bool TryValidate([NotNullWhen(true)] ref CollectionSchema? schema)
    {
        try
        {
            schema = schema?.Validated();
        }
        catch (ArgumentOutOfRangeException)
        {
            schema = null;
        }

        return schema is not null;
    }
}
