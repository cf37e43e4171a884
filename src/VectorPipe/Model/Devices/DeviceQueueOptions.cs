namespace VectorPipe.Devices;

/// <summary>The demands of a session on its device queue. Immutable.</summary>
public sealed record DeviceQueueOptions
{
    /// <summary>Largest capacity: as many submissions as the kernel lets one ring hold.</summary>
    public const int MaxCapacity = 32_768;

    /// <summary>Most reads in flight, 1 to 32,768. Fixed for the queue's life; a device may grant fewer.</summary>
    public required int Capacity { get; init; }

    /// <summary>Address of the memory that holds all read buffers, so that a device can register it; 0 if they lie anywhere.</summary>
    public nint SlabAddress { get; init; }

    /// <summary>Bytes of that memory; 0 if buffers lie anywhere.</summary>
    public long SlabLength { get; init; }

    /// <summary>Makes sure that the capacity is in its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Capacity, MaxCapacity);
    }
}
