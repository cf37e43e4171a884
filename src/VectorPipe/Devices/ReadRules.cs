namespace VectorPipe.Devices;

/// <summary>The rules of an acceptable read: aligned, positive, and inside the slab if there is one. Immutable.</summary>
internal sealed class ReadRules
{
    private readonly int _fileCount;
    private readonly int _alignment;
    private readonly nint _first;
    private readonly nint _end;

    /// <summary>Requires multiples of an alignment, a power of two, and addresses within the slab if there is one.</summary>
    public ReadRules(int fileCount, int alignment, DeviceQueueOptions options)
    {
        bool isAnywhere = options.SlabLength == 0;
        _fileCount = fileCount;
        _alignment = alignment;
        _first = isAnywhere ? 1 : options.SlabAddress;
        _end = isAnywhere ? nint.MaxValue : _first + (nint)options.SlabLength;
    }

    /// <exception cref="ArgumentException">The read breaks a rule; the message states the rules and the values found.</exception>
    public void Check(DeviceRead read)
    {
        long anyBit = read.Offset | read.Address | (long)read.Length;
        bool isAligned = (anyBit & (_alignment - 1)) == 0;
        bool isRange = read.Offset >= 0 && read.Length > 0 && read.Offset <= long.MaxValue - read.Length;
        bool isInside = read.Address >= _first && read.Address <= _end - read.Length;
        if (!(isAligned && isRange && isInside && (uint)read.File < (uint)_fileCount))
            throw Violation(read);
    }

    private ArgumentException Violation(DeviceRead read) => new(
        $"Expected a file below {_fileCount}, an offset of 0 or more, a positive length and an address within [0x{_first:x}, "
        + $"0x{_end:x}), all multiples of {_alignment}; "
        + $"found file {read.File}, offset {read.Offset}, length {read.Length}, address 0x{read.Address:x} (slot {read.Slot}).",
        nameof(read));
}
