using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.InteropServices;

namespace VectorPipe.Devices;

/// <summary>Hands finished reads from device threads to the one thread that reaps them: bounded, many producers, one consumer.</summary>
/// <remarks>
/// <para>A producer claims a place with one interlocked add, fills it, publishes its number, and after a full fence checks whether the
/// consumer waits for it. Producers never wait for a place: there are as many places as reads in flight, and a place is free before its
/// read is handed back.</para>
/// <para>The consumer states how many hand-overs it waits for, so a burst wakes it once. A producer claims the wake with an exchange; a
/// consumer whose time has run out takes a claimed wake back, so no permit goes stale.</para>
/// <para>Allocates only when created.</para>
/// </remarks>
internal sealed class CompletionRing : IDisposable
{
    private const long Nobody = long.MaxValue;

    private readonly DeviceRead?[] _items;
    private readonly long[] _published;
    private readonly long _mask;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private State _state;

    /// <param name="capacity">The most reads that are finished and not taken.</param>
    public CompletionRing(int capacity)
    {
        _items = new DeviceRead?[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _published = new long[_items.Length];
        _mask = _items.Length - 1;
        _state.WakeAt = Nobody;
    }

    /// <summary>How often a producer woke the consumer.</summary>
    public long Wakes { get; private set; }

    /// <summary>Hands a read to the consumer. Any thread.</summary>
    public void Push(DeviceRead read)
    {
        long number = Interlocked.Increment(ref _state.Tail);
        int index = (int)((number - 1) & _mask);
        Debug.Assert(_items[index] is null, "More reads finished than can be in flight.");
        _items[index] = read;
        // Release: write the read and its result before the number that announces it.
        Volatile.Write(ref _published[index], number);
        // Full fence: publish the number before loading the consumer's wish, or both sides could miss each other.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _state.Tail) >= Volatile.Read(ref _state.WakeAt) && Interlocked.Exchange(ref _state.WakeAt, Nobody) != Nobody)
            _wake.Set();
    }

    /// <summary>Takes the oldest hand-over. Consumer only.</summary>
    public bool TryPop([NotNullWhen(true)] out DeviceRead? read)
    {
        long number = _state.Head + 1;
        int index = (int)(_state.Head & _mask);
        // Acquire: load the number before the read that it announces.
        if (Volatile.Read(ref _published[index]) != number)
        {
            read = null;
            return false;
        }

        read = _items[index]!;
        _items[index] = null;
        _state.Head = number;
        return true;
    }

    /// <summary>Blocks until <paramref name="count"/> reads can be taken. Consumer only.</summary>
    /// <param name="count">1 .. reads in flight.</param>
    /// <param name="timeout">Bound of the wait.</param>
    /// <returns>False after a time-out.</returns>
    public bool Wait(int count, TimeSpan timeout)
    {
        if (IsReady(count))
            return true;
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            Interlocked.Exchange(ref _state.WakeAt, _state.Head + count);
            TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
            bool isReady = IsReady(count);
            if (!isReady && left > TimeSpan.Zero && _wake.WaitOne(WholeMilliseconds(left)))
            {
                Wakes++;
                if (IsReady(count))
                    return true;
                // A place before the one that woke this thread is claimed and not yet published: its producer will wake it again.
                continue;
            }

            // A producer that has claimed the wake sets the event in its very next step. Take that permit, or the next wait would return
            // at once.
            if (Interlocked.Exchange(ref _state.WakeAt, Nobody) == Nobody)
                _wake.WaitOne();
            isReady = isReady || IsReady(count);
            if (isReady || left <= TimeSpan.Zero)
                return isReady;
        }
    }

    /// <summary>A bound rounded up to whole milliseconds, because an event cuts fractions off.</summary>
    internal static TimeSpan WholeMilliseconds(TimeSpan bound) => TimeSpan.FromMilliseconds(Math.Ceiling(bound.TotalMilliseconds));

    /// <summary>Frees the event, after the last push.</summary>
    public void Dispose() => _wake.Dispose();

    /// <summary>Whether the next <paramref name="count"/> places are published; producers publish in any order, so check each.</summary>
    private bool IsReady(int count)
    {
        for (long number = _state.Head + count; number > _state.Head; number--)
        {
            if (Volatile.Read(ref _published[(number - 1) & _mask]) != number)
                return false;
        }

        return true;
    }

    /// <summary>Producers and consumer write to separate cache lines.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct State
    {
        [FieldOffset(64)] public long Tail;
        [FieldOffset(192)] public long WakeAt;
        [FieldOffset(320)] public long Head;
    }
}
