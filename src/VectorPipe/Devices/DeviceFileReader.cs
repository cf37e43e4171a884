using VectorPipe.Devices.Native;

namespace VectorPipe.Devices;

/// <summary>Reads a file of a device by blocking calls, one after another.</summary>
/// <remarks>
/// For any thread, but one at a time: a queue of the device is opened again when the thread changes. The device is not owned.
/// </remarks>
/// <param name="device">The device.</param>
/// <param name="file">Number of the file.</param>
/// <param name="timeout">Time after which a read has failed; null for 30 seconds.</param>
internal sealed class DeviceFileReader(IDevice device, int file, TimeSpan? timeout = null) : IDisposable
{
    private const int SlabBytes = 256 << 10;

    private readonly TimeSpan _timeout = timeout ?? TimeSpan.FromSeconds(30);
    private readonly NativeBuffer _slab = new(SlabBytes);
    private readonly BlockedRead _read = new();
    private readonly DeviceRead[] _done = new DeviceRead[1];
    private IDeviceQueue? _queue;
    private Thread? _owner;
    private bool _isDisposed;

    /// <summary>Bytes of the file when the device was opened.</summary>
    public long Length => device.LengthOf(file);

    /// <summary>Reads up to all bytes of a span.</summary>
    /// <param name="target">Receives the bytes; a whole number of the device's blocks.</param>
    /// <param name="offset">First byte; a multiple of the device's alignment.</param>
    /// <returns>Bytes read; fewer than asked for if the file ends or the span is long, 0 at the end of the file.</returns>
    /// <exception cref="DeviceException">The device cannot read them.</exception>
    public int Read(Span<byte> target, long offset)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        int length = Math.Min(target.Length, SlabBytes);

        // What a file has beyond its last whole block was read with that block.
        if (((offset | (long)length) & (device.Alignment - 1)) != 0)
            return 0;
        IDeviceQueue queue = QueueOfThread();
        (_read.File, _read.Offset, _read.Length, _read.Address) = (file, offset, length, _slab.Address);
        queue.TryEnqueue(_read);
        if (queue.Reap(_done, 1, _timeout) == 0)
        {
            // The device still has the read: the next one begins with another queue, or not at all.
            _owner = null;
            throw new DeviceException($"Expected {length} bytes at {offset} within {_timeout.TotalSeconds} s, found no result");
        }

        if (_read.Result < 0)
            throw new DeviceException($"Reading {length} bytes at {offset} failed", -_read.Result);
        _slab.Span(0, _read.Result).CopyTo(target);
        return _read.Result;
    }

    /// <summary>Closes the queue. No read is in progress.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        if (CloseQueue())
            _slab.Dispose();
    }

    private IDeviceQueue QueueOfThread()
    {
        if (_queue is not null && _owner == Thread.CurrentThread)
            return _queue;
        if (!CloseQueue())
            throw new DeviceException("Expected the device to give a read back, found its buffer still in use");
        _queue = device.OpenQueue(new DeviceQueueOptions { Capacity = 1, SlabAddress = _slab.Address, SlabLength = SlabBytes });
        _owner = Thread.CurrentThread;
        return _queue;
    }

    /// <summary>Whether the buffer is no longer in use.</summary>
    private bool CloseQueue()
    {
        if (_queue is not { } queue)
            return true;
        queue.Disown();
        queue.Dispose();
        if (queue.BuffersMayBeWritten)
            return false;
        _queue = null;
        return true;
    }

    private sealed class BlockedRead() : DeviceRead(0);
}
