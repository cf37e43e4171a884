using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices;

/// <summary>What a session asks of a device queue.</summary>
internal sealed record DeviceQueueOptions
{
    /// <summary>Most reads in flight: 1 .. 32,768. Fixed for the queue's life; every structure is sized by it once.</summary>
    public required int Capacity { get; init; }

    /// <summary>
    /// The slab that all read buffers lie in, so that a device can register it with the kernel; null if buffers lie elsewhere.
    /// </summary>
    public NativeBuffer? Buffers { get; init; }

    /// <summary>Refuses values out of range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Names the option.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Capacity, DeviceOptions.MaxQueueDepth);
    }
}
