using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices;

/// <summary>The demands of a session on its device queue.</summary>
internal sealed record DeviceQueueOptions
{
    /// <summary>Most reads in flight: 1 .. 32,768. Fixed for the queue's life; every structure is sized by it once.</summary>
    public required int Capacity { get; init; }

    /// <summary>The slab that holds all read buffers, so that a device can register it; null if buffers lie elsewhere.</summary>
    public NativeBuffer? Buffers { get; init; }

    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Capacity, DeviceOptions.MaxQueueDepth);
    }
}
