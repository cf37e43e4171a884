using FASTER.core;

namespace VectorPipe.Bench.Gets;

/// <summary>The vectors of <see cref="KeyedVectors"/> in FasterKV, all of them on disk but for a megabyte.</summary>
internal sealed class FasterStore : IDisposable
{
    public const string Name = "FASTER";

    private const int PageSizeBits = 16;
    private const int MemorySizeBits = 20;
    private const long LeastBuckets = 1 << 16;

    private readonly FASTER.core.IDevice _device;
    private readonly FasterKV<ulong, FasterVector> _store;
    private readonly string _folder;

    /// <summary>Writes the vectors of all keys, and leaves none in memory.</summary>
    public FasterStore(GetBenchArguments arguments, CancellationToken cancellationToken)
    {
        _folder = Directory.CreateDirectory(Path.Combine(arguments.DataFolder, $"get-{arguments.Keys}-{Guid.NewGuid():N}.faster")).FullName;
        _device = FASTER.core.Devices.CreateLogDevice(Path.Combine(_folder, "log"), deleteOnClose: true);
        _device.ThrottleLimit = arguments.ThrottleLimit;

        // A bucket holds seven keys.
        long buckets = Math.Max(LeastBuckets, (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)arguments.Keys / 4));
        _store = new FasterKV<ulong, FasterVector>(
            buckets, new LogSettings { LogDevice = _device, PageSizeBits = PageSizeBits, MemorySizeBits = MemorySizeBits });
        using ClientSession<ulong, FasterVector, FasterVector, FasterVector, Empty, SimpleFunctions<ulong, FasterVector>> session = Open();
        for (ulong key = 0; key < (ulong)arguments.Keys; key++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            FasterVector vector = default;
            KeyedVectors.Fill(key, vector);
            session.Upsert(ref key, ref vector);
        }

        session.CompletePending(wait: true);
        _store.Log.FlushAndEvict(wait: true);
    }

    /// <summary>Opens a session, which one thread may use.</summary>
    public ClientSession<ulong, FasterVector, FasterVector, FasterVector, Empty, SimpleFunctions<ulong, FasterVector>> Open() =>
        _store.For(new SimpleFunctions<ulong, FasterVector>()).NewSession<SimpleFunctions<ulong, FasterVector>>();

    public void Dispose()
    {
        _store.Dispose();
        _device.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
