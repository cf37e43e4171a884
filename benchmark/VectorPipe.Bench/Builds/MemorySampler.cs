using System.Runtime.ExceptionServices;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Builds;

/// <summary>Watches how much memory of this process is resident, from its creation until it is stopped.</summary>
/// <remarks>A thread of its own looks every 20 ms: a peak that is shorter may be missed. Used by one thread.</remarks>
internal sealed class MemorySampler : IDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromMilliseconds(20);

    private readonly ResidentMemory _memory = new();
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private ExceptionDispatchInfo? _error;
    // The thread's until it has ended.
    private long _peakBytes;

    /// <summary>Lets go of what can be let go of, and starts to watch.</summary>
    public MemorySampler()
    {
        // What earlier work left behind must neither count as held before nor be reused unseen.
        UnusedMemory.Release();
        BeforeBytes = _peakBytes = _memory.ReadBytes();
        _thread = new Thread(Watch) { Name = "vectorpipe memory", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Bytes that were resident at the start.</summary>
    public long BeforeBytes { get; }

    /// <summary>Ends the watch.</summary>
    /// <returns>Most bytes that were resident at a time.</returns>
    public long Stop()
    {
        _stop.Set();
        _thread.Join();
        _error?.Throw();
        return _peakBytes = Math.Max(_peakBytes, _memory.ReadBytes());
    }

    /// <summary>Ends the watch, if it goes on, and releases what it holds.</summary>
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
