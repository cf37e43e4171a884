namespace VectorPipe.Tests.Crash;

/// <summary>A clock that goes on by a millisecond each time that somebody looks at it.</summary>
internal sealed class SlowTime : TimeProvider
{
    private long _milliseconds;

    public override long TimestampFrequency => 1000;

    public override long GetTimestamp() => Interlocked.Increment(ref _milliseconds);
}
