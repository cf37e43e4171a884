namespace VectorPipe.Devices;

/// <summary>One read as a device sees it: source, destination, length and result. The pipeline's pending op derives from it.</summary>
/// <remarks>
/// The submitter writes the request and does not touch the object again until the queue hands it back. The device writes
/// <see cref="Result"/> exactly once for every accepted read.
/// </remarks>
public abstract class DeviceRead
{
    /// <summary>Makes a read; its owner uses it again and again.</summary>
    /// <param name="slot">Index of the op and of its buffer slot in the session: unique, 0 .. capacity - 1.</param>
    protected DeviceRead(int slot) => Slot = slot;

    /// <summary>Index of the op and of its buffer slot; travels through the kernel as user data.</summary>
    public int Slot { get; }

    /// <summary>The device's file to read, by its number.</summary>
    public int File { get; set; }

    /// <summary>First byte to read, from the start of the file; a multiple of the device's alignment.</summary>
    public long Offset { get; set; }

    /// <summary>Address that receives the bytes; inside the queue's buffer slab, a multiple of the device's alignment.</summary>
    public nint Address { get; set; }

    /// <summary>Bytes to read; a multiple of the device's alignment.</summary>
    public int Length { get; set; }

    /// <summary>Bytes read, 0 .. <see cref="Length"/> (fewer is a short read, 0 the end of the file), or -errno.</summary>
    public int Result { get; set; }
}
