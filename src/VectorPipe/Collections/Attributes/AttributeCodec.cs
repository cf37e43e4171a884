using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Filters.Binding;
using VectorPipe.Model;

namespace VectorPipe.Collections.Attributes;

/// <summary>The attributes of a record as bytes. Immutable and thread-safe.</summary>
/// <remarks>
/// For each attribute, in the schema's order: u8 place in the schema, then the value, see <see cref="AttributeValueCodec"/>. Equal sets
/// have equal bytes, except for the offsets of times and the bits of zeros and NaNs.
/// </remarks>
/// <param name="schema">A schema that was validated.</param>
internal sealed class AttributeCodec(CollectionSchema schema)
{
    private readonly AttributeDefinition[] _definitions = [.. schema.Attributes];

    /// <summary>Encodes attributes; no bytes if there are none.</summary>
    /// <exception cref="InvalidRecordException">A name is unknown, a type is wrong, or a string or the whole is too long.</exception>
    public byte[] Encode(AttributeSet? attributes)
    {
        if (attributes is null || attributes.Count == 0)
            return [];
        var writer = new ArrayBufferWriter<byte>();
        int found = 0;
        for (int i = 0; i < _definitions.Length; i++)
        {
            (string name, AttributeType type) = _definitions[i];
            if (!attributes.TryGetValue(name, out AttributeValue value))
                continue;
            if (value.Type != type)
                throw new InvalidRecordException($"Attribute '{name}': expected {type}, found {value.Type}.");
            writer.WriteByte((byte)i);
            AttributeValueCodec.Write(writer, name, value);
            if (writer.WrittenCount > SchemaLimits.MaxRecordAttributeBytes)
                throw TooLong(name, writer.WrittenCount);
            found++;
        }

        return found == attributes.Count ? writer.WrittenSpan.ToArray() : throw Unknown(attributes);
    }

    /// <summary>Decodes attributes; false, and never an error, if the bytes are none of this schema.</summary>
    public bool TryDecode(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out AttributeSet? attributes)
    {
        attributes = null;
        if (bytes.Length > SchemaLimits.MaxRecordAttributeBytes)
            return false;
        var reader = new ByteReader(bytes);
        var read = new AttributeSet();
        int last = -1;
        while (reader.TryReadByte(out byte place))
        {
            if (place <= last || place >= _definitions.Length)
                return false;
            (string name, AttributeType type) = _definitions[place];
            if (!AttributeValueCodec.TryRead(ref reader, type, out AttributeValue value))
                return false;
            read.Add(name, value);
            last = place;
        }

        attributes = read;
        return true;
    }

    /// <summary>Whether encoded attributes match a filter, which is bound to this schema; only what it asks for is looked at.</summary>
    /// <returns>False, and never an error, if the bytes are seen to be none of this schema.</returns>
    public bool TryMatch(BoundFilter filter, ReadOnlySpan<byte> bytes, out bool matches)
    {
        var row = new EncodedRow(bytes, _definitions);
        matches = filter.Matches(ref row) && !row.IsDamaged;
        return !row.IsDamaged;
    }

    /// <summary>The error for attributes that are too long together.</summary>
    /// <param name="name">The attribute that was one too many.</param>
    /// <param name="found">Bytes up to its end, or up to where writing it stopped.</param>
    internal static InvalidRecordException TooLong(string name, int found) => new(
        $"Attributes: expected at most {SchemaLimits.MaxRecordAttributeBytes} bytes in all, found {found} or more, up to '{name}'.");

    private InvalidRecordException Unknown(AttributeSet attributes)
    {
        string[] names = [.. _definitions.Select(definition => definition.Name)];
        string unknown = attributes.Keys.Except(names, StringComparer.Ordinal).First();
        string known = names.Length == 0 ? "it has none" : string.Join(", ", names);
        return new InvalidRecordException($"Attributes: expected names of the schema ({known}), found '{unknown}'.");
    }
}
