using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>A device with a file whose bytes follow from their positions, so that a read from a wrong place shows.</summary>
internal sealed class CheckedDevice : IDisposable
{
    private const int Blocks = 256;

    private readonly DeviceSubject _subject;
    private readonly List<string> _paths = [];

    public CheckedDevice(DeviceSubject subject)
    {
        _subject = subject;
        int tail = 1000 / subject.LengthUnit * subject.LengthUnit;
        Length = (Blocks * QueueUnderCheck.Block) + tail;
        try
        {
            Device = subject.Open([Store(Length, ByteAt)]);
        }
        catch
        {
            Delete();
            throw;
        }
    }

    public IDevice Device { get; }

    /// <summary>Bytes of the file: 256 blocks and, if the device can have them, some bytes more.</summary>
    public int Length { get; }

    public int Seed => _subject.Seed;

    public TimeSpan Patience => _subject.Patience;

    public static byte ByteAt(long position) => (byte)((((ulong)position + 1) * 0x9E37_79B9_7F4A_7C15) >> 56);

    public static byte OtherByteAt(long position) => (byte)~ByteAt(position);

    public QueueUnderCheck OpenQueue(int capacity) => new(Device, capacity, _subject.Patience);

    /// <summary>Opens another device with several files.</summary>
    public IDevice OpenSeveral(params (int Length, Func<long, byte> ByteAt)[] files) =>
        _subject.Open([.. files.Select(file => Store(file.Length, file.ByteAt))]);

    public QueueUnderCheck OpenQueue(IDevice device, int capacity) => new(device, capacity, _subject.Patience);

    public void Dispose()
    {
        try
        {
            Device.Dispose();
        }
        finally
        {
            Delete();
        }
    }

    private string Store(int length, Func<long, byte> byteAt)
    {
        string path = Path.Combine(_subject.Folder, $"conformance-{Guid.NewGuid():N}.bin");
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = byteAt(i);
        _paths.Add(path);
        _subject.Store(path, bytes);
        return path;
    }

    private void Delete()
    {
        foreach (string path in _paths)
            File.Delete(path);
    }
}
