using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.InteropServices;

namespace VectorPipe.Devices;

/// <summary>
/// Hands finished reads from device threads over to the one thread that reaps them: bounded, many producers, one consumer.
/// </summary>
/// <remarks>
/// <para>A producer claims a place with one interlocked add, fills it, publishes its number, and after one full fence looks whether
/// the consumer waits for it. Places are never awaited: no more reads are in flight than there are places, and a place is free before
/// its read is handed back.</para>
/// <para>The consumer says how many hand-overs it waits for, so a burst wakes it once: the wake is claimed with an exchange, and a
/// consumer whose time ran out takes the claimed wake back, so no permit goes stale.</para>
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

    /// <param name="capacity">Most reads that are finished and not yet taken.</param>
    public CompletionRing(int capacity)
    {
        _items = new DeviceRead?[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _published = new long[_items.Length];
        _mask = _items.Length - 1;
        _state.WakeAt = Nobody;
    }

    /// <summary>How often the consumer was woken.</summary>
    public long Wakes { get; private set; }

    /// <summary>Hands a read over. Any thread.</summary>
    public void Push(DeviceRead read)
    {
        long number = Interlocked.Increment(ref _state.Tail);
        int index = (int)((number - 1) & _mask);
        Debug.Assert(_items[index] is null, "More reads finished than can be in flight.");
        _items[index] = read;
        // Release: the read and its result before the number that announces it.
        Volatile.Write(ref _published[index], number);
        // The number must be visible before the wish to be woken is read; else both sides could miss each other.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _state.Tail) >= Volatile.Read(ref _state.WakeAt) && Interlocked.Exchange(ref _state.WakeAt, Nobody) != Nobody)
            _wake.Set();
    }

    /// <summary>Takes the oldest hand-over. Consumer only.</summary>
    public bool TryPop([NotNullWhen(true)] out DeviceRead? read)
    {
        long number = _state.Head + 1;
        int index = (int)(_state.Head & _mask);
        // Acquire: the read's result after the number that announced it.
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
            if (!isReady && left > TimeSpan.Zero)
            {
                if (_wake.WaitOne(WholeMilliseconds(left)))
                {
                    Wakes++;
                    if (IsReady(count))
                        return true;
                    // A place ahead of the one that woke is claimed and not yet published: its producer will wake again.
                    continue;
                }
            }

            // A producer that claimed the wake meanwhile is about to set the event (its very next step): take that permit, or the next wait
            // would return at once.
            if (Interlocked.Exchange(ref _state.WakeAt, Nobody) == Nobody)
                _wake.WaitOne();
            isReady = isReady || IsReady(count);
            if (isReady || left <= TimeSpan.Zero)
                return isReady;
        }
    }

    /// <summary>A bound rounded up: an event counts whole milliseconds, and cuts off what is above them.</summary>
    internal static TimeSpan WholeMilliseconds(TimeSpan bound) => TimeSpan.FromMilliseconds(Math.Ceiling(bound.TotalMilliseconds));

    /// <summary>Frees the event. No producer may push any more.</summary>
    public void Dispose() => _wake.Dispose();

    /// <summary>
    /// Whether the next <paramref name="count"/> places are published; they are published in any order, so each is looked at.
    /// </summary>
    private bool IsReady(int count)
    {
        for (long number = _state.Head + count; number > _state.Head; number--)
        {
            if (Volatile.Read(ref _published[(number - 1) & _mask]) != number)
                return false;
        }

        return true;
    }

    /// <summary>Producers and consumer write to lines of their own.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct State
    {
        [FieldOffset(64)]
        public long Tail;

        [FieldOffset(192)]
        public long WakeAt;

        [FieldOffset(320)]
        public long Head;
    }
}
