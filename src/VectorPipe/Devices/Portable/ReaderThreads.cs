using System.Diagnostics;

namespace VectorPipe.Devices.Portable;

/// <summary>Threads for readers, which come back for other readers when they are no longer needed.</summary>
/// <remarks>
/// Thread-safe. A thread that starts has to be given a processor before its starter goes on: on a busy machine, 32 starts took more than
/// 0.3 s. One that rests is only woken. The last to rest is the first to be woken, so that those beyond what is needed leave.
/// </remarks>
internal static class ReaderThreads
{
    /// <summary>Most threads that rest: those of two device queues.</summary>
    public const int MostResting = 2 * RandomAccessDevice.DefaultThreads;

    private static readonly TimeSpan _longestRest = TimeSpan.FromSeconds(2);
    private static readonly object _gate = new();
    private static readonly Stack<Seat> _resting = [];

    /// <summary>Threads that rest.</summary>
    public static int Resting
    {
        get
        {
            lock (_gate)
                return _resting.Count;
        }
    }

    /// <summary>Runs work on a thread that rests, or on a new one.</summary>
    /// <param name="work">The work; it must not throw.</param>
    /// <param name="mayStart">Whether a thread may be started if none rests.</param>
    /// <returns>False if none rests and none may be started.</returns>
    /// <exception cref="OutOfMemoryException">No thread could be started.</exception>
    public static bool TryRun(Action work, bool mayStart)
    {
        Seat? seat;
        lock (_gate)
            _resting.TryPop(out seat);
        if (seat is not null)
            seat.Give(work);
        else if (mayStart)
            StartThread(work);
        return seat is not null || mayStart;
    }

    // Apart, so that only a thread that starts costs the object that carries its work.
    private static void StartThread(Action work) =>
        new Thread(() => Serve(work), maxStackSize: 256 * 1024) { IsBackground = true, Name = "vectorpipe reader" }.Start();

    private static void Serve(Action? work)
    {
        var seat = new Seat();
        while (work is not null)
        {
            work();
            work = Rest(seat);
        }
    }

    private static Action? Rest(Seat seat)
    {
        lock (_gate)
        {
            if (_resting.Count >= MostResting)
                return null;
            _resting.Push(seat);
        }

        if (seat.Wait(_longestRest) is { } work)
            return work;
        // It may be given work just now, and then it is no longer among those that rest.
        return TryLeave(seat) ? null : seat.Wait(Timeout.InfiniteTimeSpan);
    }

    private static bool TryLeave(Seat seat)
    {
        lock (_gate)
        {
            Seat[] others = [.. _resting.Where(other => other != seat).Reverse()];
            if (others.Length == _resting.Count)
                return false;
            _resting.Clear();
            foreach (Seat other in others)
                _resting.Push(other);
            return true;
        }
    }

    /// <summary>Where a thread rests, until work is given to it.</summary>
    private sealed class Seat
    {
        private readonly object _gate = new();
        private Action? _work;

        public void Give(Action work)
        {
            lock (_gate)
            {
                Debug.Assert(_work is null, "a thread is given work once for each rest");
                _work = work;
                Monitor.Pulse(_gate);
            }
        }

        /// <summary>Waits for work; null if there was none in time.</summary>
        public Action? Wait(TimeSpan bound)
        {
            lock (_gate)
            {
                while (_work is null && Monitor.Wait(_gate, bound))
                {
                }

                Action? work = _work;
                _work = null;
                return work;
            }
        }
    }
}
