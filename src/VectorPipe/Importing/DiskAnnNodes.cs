using VectorPipe.Devices.Choosing;

namespace VectorPipe.Importing;

/// <summary>Reads the nodes of a DiskANN disk index from first to last, some at a time.</summary>
/// <remarks>Bound to the thread that first reads.</remarks>
internal sealed class DiskAnnNodes(DiskAnnGraphFile file, DeviceOpener? openDevice) : IDisposable
{
    private readonly DiskAnnRows _units = new(file.Path, file.Header.Units, openDevice);

    /// <summary>Id of the first node of the last read.</summary>
    public long First => _units.First * file.Header.NodesPerUnit;

    /// <summary>Reads the next nodes, and returns their number; 0 at the end of the file.</summary>
    public int Read(CancellationToken cancellationToken)
    {
        long units = _units.Read(cancellationToken);
        return (int)Math.Clamp(file.Header.Count - First, 0, units * file.Header.NodesPerUnit);
    }

    /// <summary>A node of the last read, numbered from 0; valid until the next read.</summary>
    public ReadOnlySpan<byte> Node(int index) => _units.Bytes.Slice(PlaceOf(index), file.Header.NodeBytes);

    /// <summary>Offset of a node of the last read in the file.</summary>
    public long Offset(int index) => _units.Offset(_units.First) + PlaceOf(index);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose() => _units.Dispose();

    private int PlaceOf(int index)
    {
        (int unit, int slot) = Math.DivRem(index, file.Header.NodesPerUnit);
        return (unit * file.Header.UnitBytes) + (slot * file.Header.NodeBytes);
    }
}
