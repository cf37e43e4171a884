namespace VectorPipe.Filters.Binding;

/// <summary>Whether there is a value.</summary>
internal sealed class PresenceLeaf(string name, int place, AttributeType type, bool passesMissing)
    : BoundLeaf(name, place, type, passesMissing)
{
    public override bool Passes(AttributeValue value) => !PassesMissing;

    public override bool PassesBits(long bits) => !PassesMissing;

    public override bool PassesBytes(ReadOnlySpan<byte> bytes) => !PassesMissing;
}
