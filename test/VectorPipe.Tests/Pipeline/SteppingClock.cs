namespace VectorPipe.Tests.Pipeline;

/// <summary>A clock that goes on by one microsecond with every look at it.</summary>
internal sealed class SteppingClock : TimeProvider
{
    private long _nowUs;

    public override long TimestampFrequency => 1_000_000;

    public override long GetTimestamp() => _nowUs++;
}
