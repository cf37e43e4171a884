namespace VectorPipe.Tests.Pipeline;

/// <summary>A clock that advances by a microsecond at every look.</summary>
internal sealed class SteppingClock : TimeProvider
{
    private long _nowUs;

    public override long TimestampFrequency => 1_000_000;

    public override long GetTimestamp() => _nowUs++;
}
