using System.Diagnostics;
using VectorPipe.Diagnostics;

namespace VectorPipe.Bench.Churns;

/// <summary>The bytes of the files of a folder, looked at from time to time. Not thread-safe.</summary>
internal sealed class FolderSize(string folder)
{
    private static readonly TimeSpan _between = TimeSpan.FromMilliseconds(500);

    private long _looked;
    private long _sum;
    private int _looks;

    /// <summary>The most bytes that were seen since <see cref="Begin"/>.</summary>
    public long Most { get; private set; }

    /// <summary>The mean of what was seen since <see cref="Begin"/>; null if nobody looked.</summary>
    public long? Mean => _looks == 0 ? null : _sum / _looks;

    /// <summary>Bytes of all files under a folder.</summary>
    public static long Of(string folder) => StoredFiles.BytesOf(folder).Sum(static role => role.Bytes);

    /// <summary>Forgets what was seen.</summary>
    public void Begin() => (Most, _looked, _sum, _looks) = (0, 0, 0, 0);

    /// <summary>Looks, unless it has just done so.</summary>
    public void Look()
    {
        if (_looked != 0 && Stopwatch.GetElapsedTime(_looked) < _between)
            return;
        long bytes = Of(folder);
        Most = Math.Max(Most, bytes);
        _sum += bytes;
        _looks++;
        _looked = Stopwatch.GetTimestamp();
    }
}
