using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>A read of a check, and how often the queue handed it back.</summary>
internal sealed class CheckedRead(int slot) : DeviceRead(slot)
{
    /// <summary>The result of a read that no device has written to.</summary>
    public const int Untouched = int.MinValue;

    public int HandedBack { get; set; }
}
