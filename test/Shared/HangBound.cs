using System.Diagnostics;

namespace VectorPipe.TestHost;

/// <summary>How long a test may go on without a sign of progress.</summary>
internal sealed class HangBound(int seconds)
{
    private static readonly AsyncLocal<HangBound?> _current = new();

    private long _since = Stopwatch.GetTimestamp();

    /// <summary>The bound of the test that runs here.</summary>
    public static HangBound? Current
    {
        get => _current.Value;
        set => _current.Value = value;
    }

    public int Seconds => seconds;

    /// <summary>Time until the test counts as hanging; zero once it does.</summary>
    public TimeSpan Left
    {
        get
        {
            TimeSpan left = TimeSpan.FromSeconds(seconds) - Stopwatch.GetElapsedTime(Volatile.Read(ref _since));
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>Restarts the time: a test of many cases has finished one.</summary>
    public void Restart() => Volatile.Write(ref _since, Stopwatch.GetTimestamp());
}
