using VectorPipe.Devices.Uring;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Devices.Uring;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>A kernel with many rings, one for each set-up, so that one can break while the others serve.</summary>
internal sealed unsafe class SimulatedRings(byte[] file) : IUringSystem, IDisposable
{
    private const int InnerFd = 1000;
    private const int FirstFd = 2000;
    private readonly Lock _lock = new();
    private readonly List<SimulatedUringSystem> _rings = [];
    private readonly Dictionary<nint, SimulatedUringSystem> _maps = [];

    /// <summary>Prepares the n-th ring, before it is set up.</summary>
    public Action<int, SimulatedUringSystem> OnRing { get; set; } = static (_, _) => { };

    /// <summary>The number of set-ups.</summary>
    public int SetUps
    {
        get
        {
            lock (_lock)
                return _rings.Count;
        }
    }

    public int Setup(uint entries, IoUringParams* parameters)
    {
        lock (_lock)
        {
            var ring = new SimulatedUringSystem(file);

            // A registered descriptor would hide the ring that is entered.
            ring.OnRegister = static operation => operation == IoUringAbi.RegisterRingFds ? Errno.EINVAL : 0;
            OnRing(_rings.Count, ring);
            _rings.Add(ring);
            int fd = ring.Setup(entries, parameters);
            return fd == InnerFd ? FirstFd + _rings.Count - 1 : fd;
        }
    }

    public int Enter(int fd, uint toSubmit, uint minComplete, uint flags, void* argument, nuint argumentSize) =>
        Ring(fd).Enter(InnerFd, toSubmit, minComplete, flags, argument, argumentSize);

    public int Register(int fd, uint operation, void* argument, uint count) => Ring(fd).Register(InnerFd, operation, argument, count);

    public nint Map(int fd, long offset, nuint length)
    {
        SimulatedUringSystem ring = Ring(fd);
        nint address = ring.Map(InnerFd, offset, length);
        lock (_lock)
            _maps[address] = ring;
        return address;
    }

    public void Unmap(nint address, nuint length)
    {
        SimulatedUringSystem? ring;
        lock (_lock)
            _maps.Remove(address, out ring);
        ring!.Unmap(address, length);
    }

    public void Close(int fd) => Ring(fd).Close(InnerFd);

    public void Dispose()
    {
        foreach (SimulatedUringSystem ring in _rings)
            ring.Dispose();
    }

    private SimulatedUringSystem Ring(int fd)
    {
        lock (_lock)
            return _rings[fd - FirstFd];
    }
}
