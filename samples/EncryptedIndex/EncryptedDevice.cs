using VectorPipe.Devices;

namespace EncryptedIndex;

/// <summary>A device that decrypts the pages that another one reads.</summary>
/// <remarks>The thread that takes pages back decrypts them, in the buffers in which they arrived: no copy, no further thread.</remarks>
internal sealed class EncryptedDevice(IDevice inner, IReadOnlyList<string> paths, byte[] key) : IDevice
{
    private readonly ulong[] _files = [.. paths.Select(PageCipher.NumberOf)];

    public string Name => $"encrypted {inner.Name}";

    public string? FallbackReason => inner.FallbackReason;

    public int FileCount => inner.FileCount;

    /// <summary>Only whole pages can be decrypted.</summary>
    public int Alignment => PageCipher.PageLength;

    public long LengthOf(int file) => inner.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        // The cipher first: it may refuse the key, and a queue that is open keeps its device from being disposed.
        var cipher = new PageCipher(key);
        try
        {
            return new Queue(inner.OpenQueue(options), cipher, _files);
        }
        catch
        {
            cipher.Dispose();
            throw;
        }
    }

    public void Dispose() => inner.Dispose();

    private sealed unsafe class Queue(IDeviceQueue inner, PageCipher cipher, ulong[] files) : IDeviceQueue
    {
        public int Capacity => inner.Capacity;

        public int InFlight => inner.InFlight;

        public bool IsFaulted => inner.IsFaulted;

        public VectorPipe.DeviceException? FaultCause => inner.FaultCause;

        public bool BuffersMayBeWritten => inner.BuffersMayBeWritten;

        public DeviceCounters Counters => inner.Counters;

        public bool TryEnqueue(DeviceRead read)
        {
            ArgumentNullException.ThrowIfNull(read);
            if (((read.Offset | (long)read.Length | read.Address) & (PageCipher.PageLength - 1)) != 0)
            {
                throw new ArgumentException(
                    $"Expected multiples of {PageCipher.PageLength}, found {read.Length} bytes at {read.Offset}.", nameof(read));
            }

            return inner.TryEnqueue(read);
        }

        public void Submit() => inner.Submit();

        public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
        {
            int count = inner.Reap(completed, waitFor, timeout);
            foreach (DeviceRead read in completed[..count])
            {
                if (read.Result <= 0)
                    continue;

                // A page that was cut off cannot be decrypted: the read ends before it.
                read.Result -= read.Result % PageCipher.PageLength;
                cipher.Decrypt(new Span<byte>((void*)read.Address, read.Result), read.Offset / PageCipher.PageLength, files[read.File]);
            }

            return count;
        }

        public void Disown() => inner.Disown();

        public void Dispose()
        {
            inner.Dispose();
            cipher.Dispose();
        }
    }
}
