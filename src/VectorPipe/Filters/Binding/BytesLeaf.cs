using System.Text;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Binding;

/// <summary>Whether a text or a Guid is in a set, by the order of its bytes.</summary>
internal sealed class BytesLeaf : BoundLeaf
{
    private readonly ValueSet _values;
    private readonly byte[][] _cuts;

    public BytesLeaf(string name, int place, AttributeType type, bool passesMissing, ValueSet values)
        : base(name, place, type, passesMissing)
    {
        _values = values;
        _cuts = new byte[values.Cuts.Length][];
        for (int i = 0; i < _cuts.Length; i++)
            _cuts[i] = BytesOf(values.Cuts[i].Value);
    }

    public override bool Passes(AttributeValue value)
    {
        if (value.Type == AttributeType.Guid)
        {
            Span<byte> bytes = stackalloc byte[16];
            value.AsGuid().TryWriteBytes(bytes);
            return PassesBytes(bytes);
        }

        string text = value.AsString();
        int low = 0;
        int high = _cuts.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            Cut cut = _values.Cuts[middle];
            (low, high) = IsBelow(TextOrder.Compare(cut.Value.AsString(), text), cut) ? (middle + 1, high) : (low, middle);
        }

        return IsInside(low);
    }

    public override bool PassesBytes(ReadOnlySpan<byte> bytes)
    {
        int low = 0;
        int high = _cuts.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = IsBelow(_cuts[middle].AsSpan().SequenceCompareTo(bytes), _values.Cuts[middle])
                ? (middle + 1, high)
                : (low, middle);
        }

        return IsInside(low);
    }

    private static bool IsBelow(int order, Cut cut) => order < 0 || (order == 0 && !cut.IsAfter);

    private static byte[] BytesOf(AttributeValue value) =>
        value.Type == AttributeType.Guid ? value.AsGuid().ToByteArray() : Encoding.UTF8.GetBytes(value.AsString());

    private bool IsInside(int cutsBelow) => _values.StartsInside != (cutsBelow % 2 == 1);
}
