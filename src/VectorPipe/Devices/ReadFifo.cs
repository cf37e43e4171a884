using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;

namespace VectorPipe.Devices;

/// <summary>A bounded first-in first-out row of finished reads, for one thread. Allocates only when created.</summary>
internal sealed class ReadFifo
{
    private readonly DeviceRead?[] _items;
    private readonly uint _mask;
    private uint _head;
    private uint _tail;

    /// <param name="capacity">Most reads held at once; the owner sees to it that it is not exceeded.</param>
    public ReadFifo(int capacity)
    {
        _items = new DeviceRead?[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _mask = (uint)_items.Length - 1;
    }

    /// <summary>Reads held.</summary>
    public int Count => (int)(_tail - _head);

    /// <summary>Appends a read.</summary>
    public void Push(DeviceRead read)
    {
        Debug.Assert(Count < _items.Length, "More reads finished than can be in flight.");
        _items[_tail++ & _mask] = read;
    }

    /// <summary>Takes the oldest read.</summary>
    public bool TryPop([NotNullWhen(true)] out DeviceRead? read)
    {
        if (_head == _tail)
        {
            read = null;
            return false;
        }

        uint index = _head++ & _mask;
        read = _items[index]!;
        _items[index] = null;
        return true;
    }
}
