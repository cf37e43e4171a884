using System.Diagnostics;

namespace VectorPipe.TestHost;

/// <summary>How long a test may go on without a sign of progress.</summary>
internal sealed class HangBound(int seconds)
{
    /// <summary>Seconds that a test may take, unless something says otherwise.</summary>
    public const int DefaultSeconds = 60;

    private static readonly AsyncLocal<HangBound?> _current = new();

    private long _since = Stopwatch.GetTimestamp();

    /// <summary>The bound of the test that runs here.</summary>
    public static HangBound? Current
    {
        get => _current.Value;
        set => _current.Value = value;
    }

    /// <summary>How long to wait for what must come: less than the test may take, so that the error says what was waited for.</summary>
    public static TimeSpan Patience => TimeSpan.FromSeconds((Current?.Seconds ?? DefaultSeconds) * 5.0 / 6);

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
