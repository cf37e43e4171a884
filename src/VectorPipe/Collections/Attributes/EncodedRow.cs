using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Attributes;

/// <summary>The encoded attributes of a record, which a filter looks at without decoding them.</summary>
/// <param name="bytes">The bytes, which may be damaged.</param>
/// <param name="definitions">The attributes of the schema.</param>
internal ref struct EncodedRow(ReadOnlySpan<byte> bytes, AttributeDefinition[] definitions) : IAttributeRow
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private readonly AttributeDefinition[] _definitions = definitions;

    /// <summary>Whether bytes were found that no record of the schema has.</summary>
    public bool IsDamaged { get; private set; }

    public bool Passes(BoundLeaf leaf)
    {
        var reader = new ByteReader(_bytes);
        int last = -1;
        while (reader.TryReadByte(out byte place))
        {
            if (place > leaf.Place)
                break;
            if (place <= last)
                return Damaged();
            last = place;
            if (place == leaf.Place)
                return PassesValue(ref reader, leaf);
            if (!AttributeValueCodec.TrySkip(ref reader, _definitions[place].Type, out _))
                return Damaged();
        }

        return leaf.PassesMissing;
    }

    private bool PassesValue(scoped ref ByteReader reader, BoundLeaf leaf)
    {
        switch (leaf.Type)
        {
            case AttributeType.Boolean:
                return reader.TryReadByte(out byte truth) && truth <= 1 ? leaf.PassesBits(truth) : Damaged();
            case AttributeType.Int64 or AttributeType.Double or AttributeType.DateTimeOffset:
                return reader.TryReadInt64(out long bits) ? leaf.PassesBits(bits) : Damaged();
            case AttributeType.StringSet when leaf is ItemsLeaf items:
                return PassesSet(ref reader, items);
            default:
                return AttributeValueCodec.TrySkip(ref reader, leaf.Type, out ReadOnlySpan<byte> value)
                    ? leaf.PassesBytes(value)
                    : Damaged();
        }
    }

    private bool PassesSet(scoped ref ByteReader reader, ItemsLeaf leaf)
    {
        if (!reader.TryReadUInt16(out int count))
            return Damaged();
        int found = 0;
        for (int i = 0; i < count; i++)
        {
            if (!AttributeValueCodec.TrySkip(ref reader, AttributeType.String, out ReadOnlySpan<byte> item))
                return Damaged();
            if (leaf.Asks(item) && leaf.IsEnough(++found))
                break;
        }

        return leaf.PassesSet(leaf.IsEnough(found));
    }

    // No leaf passes damage, but its negation would: the caller asks for the damage.
    private bool Damaged()
    {
        IsDamaged = true;
        return false;
    }
}
