using System.Runtime.ExceptionServices;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Builds;

/// <summary>Finds the peak of this process's resident memory, from its creation until it is stopped.</summary>
/// <remarks>A thread of its own samples every 20 ms, and may miss shorter peaks. One thread uses it.</remarks>
internal sealed class MemorySampler : IDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(20);

    private readonly ResidentMemory _memory = new();
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private ExceptionDispatchInfo? _error;

    // Written by the thread until it has ended.
    private long _peakBytes;

    /// <summary>Releases unused memory and starts to sample.</summary>
    public MemorySampler()
    {
        // Garbage of earlier work must not count as memory in use, and the build must not reuse it.
        UnusedMemory.Release();
        BeforeBytes = _peakBytes = _memory.ReadBytes();
        _thread = new Thread(Watch) { Name = "vectorpipe memory", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Resident memory at the start.</summary>
    public long BeforeBytes { get; }

    /// <summary>Stops sampling and returns the peak in bytes.</summary>
    public long Stop()
    {
        _stop.Set();
        _thread.Join();
        _error?.Throw();
        return _peakBytes = Math.Max(_peakBytes, _memory.ReadBytes());
    }

    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
        _memory.Dispose();
    }

    private void Watch()
    {
        try
        {
            do
                _peakBytes = Math.Max(_peakBytes, _memory.ReadBytes());
            while (!_stop.Wait(_interval));
        }
        catch (IOException e)
        {
            _error = ExceptionDispatchInfo.Capture(e);
        }
    }
}
