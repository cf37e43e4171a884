using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Tests.Latency;

public sealed class PacingTests
{
    private const long Start = 1_000_000;

    private static readonly long _millisecond = Stopwatch.Frequency / 1000;

    [Test]
    public void Nothing_is_due_early()
    {
        var pacing = new Pacing(1000, thread: 0, threads: 1, Start);
        Assert.That(pacing.TryTake(Start - 1, out _), Is.False);
    }

    [Test]
    public void Operations_are_due_at_the_rate()
    {
        var pacing = new Pacing(1000, thread: 0, threads: 1, Start);
        long[] due = [.. Enumerable.Range(0, 4).Select(_ => Take(pacing, long.MaxValue))];
        Assert.That(due, Is.EqualTo(new[] { Start, Start + _millisecond, Start + (2 * _millisecond), Start + (3 * _millisecond) }));
    }

    [Test]
    public void Threads_take_turns()
    {
        var first = new Pacing(1000, thread: 0, threads: 2, Start);
        var second = new Pacing(1000, thread: 1, threads: 2, Start);
        long[] due = [Take(first, long.MaxValue), Take(second, long.MaxValue), Take(first, long.MaxValue), Take(second, long.MaxValue)];
        Assert.That(due, Is.EqualTo(new[] { Start, Start + _millisecond, Start + (2 * _millisecond), Start + (3 * _millisecond) }));
    }

    [Test]
    public void A_stall_does_not_move_due_times()
    {
        var pacing = new Pacing(1000, thread: 0, threads: 1, Start);
        Take(pacing, Start);
        long afterStall = Start + (10 * _millisecond);
        long[] latencies = [.. Enumerable.Range(0, 10).Select(_ => (afterStall - Take(pacing, afterStall)) / _millisecond)];
        Assert.That(latencies, Is.EqualTo(new long[] { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 }));
        Assert.That(pacing.TryTake(afterStall, out _), Is.False);
    }

    private static long Take(Pacing pacing, long now)
    {
        Assert.That(pacing.TryTake(now, out long due), Is.True);
        return due;
    }
}
