using VectorPipe.Devices.Choosing;

namespace VectorPipe.Importing;

/// <summary>Reads the nodes of a DiskANN disk index from first to last, some at a time.</summary>
/// <remarks>Bound to the thread that first reads.</remarks>
internal sealed class DiskAnnNodes : IDisposable
{
    private readonly DiskAnnGraphFile _file;
    private readonly DiskAnnRows _units;

    /// <exception cref="DeviceException">The file cannot be opened.</exception>
    public DiskAnnNodes(DiskAnnGraphFile file, DeviceOpener? openDevice)
    {
        _file = file;
        _units = new DiskAnnRows(file.Path, file.Header.Units, openDevice);
    }

    /// <summary>Id of the first node of the last read.</summary>
    public long First => _units.First * _file.Header.NodesPerUnit;

    /// <summary>Reads the next nodes, and returns their number; 0 at the end of the file.</summary>
    /// <exception cref="VectorFormatException">The file was truncated meanwhile.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public int Read(CancellationToken cancellationToken)
    {
        long units = _units.Read(cancellationToken);
        return (int)Math.Clamp(_file.Header.Count - First, 0, units * _file.Header.NodesPerUnit);
    }

    /// <summary>A node of the last read, numbered from 0; valid until the next read.</summary>
    public ReadOnlySpan<byte> Node(int index) => _units.Bytes.Slice(PlaceOf(index), _file.Header.NodeBytes);

    /// <summary>Offset of a node of the last read in the file.</summary>
    public long Offset(int index) => _units.Offset(_units.First) + PlaceOf(index);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose() => _units.Dispose();

    private int PlaceOf(int index)
    {
        (int unit, int slot) = Math.DivRem(index, _file.Header.NodesPerUnit);
        return (unit * _file.Header.UnitBytes) + (slot * _file.Header.NodeBytes);
    }
}
