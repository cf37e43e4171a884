using VectorPipe.Devices;

namespace VectorPipe.Tests.Faults;

/// <summary>A disk in memory with a clock of its own: no thread, no real time.</summary>
/// <remarks>
/// The time of a read depends only on the seed, the queue's number and the read's number, so that the seed repeats a run exactly.
/// </remarks>
internal sealed class SimulatedDevice(IReadOnlyList<byte[]> files, int seed) : IDevice
{
    private int _opened;
    private int _open;

    public SimulatedDevice(IReadOnlyList<string> paths, int seed)
        : this([.. paths.Select(File.ReadAllBytes)], seed)
    {
    }

    public string Name => "simulated";

    public int FileCount => files.Count;

    public int Alignment => 512;

    public long LengthOf(int file) => files[file].Length;

    /// <summary>Receives each finished read: queue, file, offset and the queue's clock in µs. May be null.</summary>
    public Action<int, int, long, long>? Observer { get; set; }

    /// <summary>Whether all reads take about the same time; those of a real disk do not.</summary>
    public bool IsEven { get; init; }

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        options.Validate();
        _open++;
        int number = _opened++;
        return new SimulatedQueue(this, number, seed, options, () => _open--);
    }

    public byte[] Bytes(int file) => files[file];

    public void Dispose()
    {
        if (_open > 0)
            throw new InvalidOperationException($"Expected no open queue, found {_open}.");
    }
}
