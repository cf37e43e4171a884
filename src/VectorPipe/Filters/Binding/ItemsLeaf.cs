using System.Text;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Binding;

/// <summary>Whether a set of strings contains items.</summary>
internal sealed class ItemsLeaf : BoundLeaf
{
    private readonly string[] _items;
    private readonly byte[][] _bytes;
    private readonly int _needed;

    public ItemsLeaf(string name, int place, ItemsNode node)
        : base(name, place, AttributeType.StringSet, passesMissing: node.IsNegated)
    {
        // Both are in the order of UTF-8.
        _items = node.Items.ToArray();
        _bytes = [.. _items.Select(Encoding.UTF8.GetBytes)];
        _needed = node.IsAll ? _items.Length : 1;
    }

    /// <summary>The items that the test asks for, in UTF-8.</summary>
    public ReadOnlySpan<byte[]> Items => _bytes;

    /// <summary>Whether a set must have all of them; else one.</summary>
    public bool IsAll => _needed == _bytes.Length;

    /// <summary>Whether an item is one of those that the test asks for.</summary>
    public bool Asks(ReadOnlySpan<byte> item)
    {
        int low = 0;
        int high = _bytes.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            int order = _bytes[middle].AsSpan().SequenceCompareTo(item);
            if (order == 0)
                return true;
            (low, high) = order < 0 ? (middle + 1, high) : (low, middle);
        }

        return false;
    }

    /// <summary>Whether so many items of a set suffice, after which no more need to be looked at.</summary>
    public bool IsEnough(int found) => found >= _needed;

    /// <summary>Whether a set passes.</summary>
    /// <param name="isEnough">Whether it has enough of the items.</param>
    public bool PassesSet(bool isEnough) => isEnough != PassesMissing;

    public override bool Passes(AttributeValue value)
    {
        int found = 0;
        foreach (string item in value.AsStringSet())
        {
            if (Asks(item) && IsEnough(++found))
                break;
        }

        return PassesSet(IsEnough(found));
    }

    private bool Asks(string item)
    {
        int low = 0;
        int high = _items.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            int order = TextOrder.Compare(_items[middle], item);
            if (order == 0)
                return true;
            (low, high) = order < 0 ? (middle + 1, high) : (low, middle);
        }

        return false;
    }
}
