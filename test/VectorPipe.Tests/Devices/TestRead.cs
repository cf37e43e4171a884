using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>A read of a test: a slot of the slab, and how often it came back.</summary>
internal sealed class TestRead(int slot) : DeviceRead(slot)
{
    /// <summary>How often the queue handed it back.</summary>
    public int HandedBack { get; set; }
}
