using VectorPipe.Devices;

namespace VectorPipe.Micro;

/// <summary>A read of one block.</summary>
internal sealed class ReadBlock : DeviceRead
{
    /// <param name="slot">Number of the read.</param>
    /// <param name="offset">First byte in file 0.</param>
    /// <param name="address">Receives the bytes.</param>
    /// <param name="length">Bytes.</param>
    public ReadBlock(int slot, long offset, nint address, int length)
        : base(slot)
    {
        Offset = offset;
        Address = address;
        Length = length;
    }
}
