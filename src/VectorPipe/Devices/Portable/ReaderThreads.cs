using System.Diagnostics;

namespace VectorPipe.Devices.Portable;

/// <summary>Threads for readers, which come back for other readers when they are no longer needed.</summary>
/// <remarks>
/// Thread-safe. A process that searches many indexes opens and closes a device queue for nearly every search. A thread that starts has to
/// be given a processor before its starter goes on: on a busy machine, 32 starts took more than 0.3 s. One that rests is only woken.
/// </remarks>
internal static class ReaderThreads
{
    /// <summary>Most threads that rest: those of two device queues.</summary>
    public const int MostResting = 2 * RandomAccessDevice.DefaultThreads;

    private static readonly TimeSpan _longestRest = TimeSpan.FromSeconds(10);
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
    /// <exception cref="OutOfMemoryException">No thread could be started.</exception>
    public static void Run(Action work)
    {
        lock (_gate)
        {
            if (_resting.TryPop(out Seat? seat))
            {
                seat.Give(work);
                return;
            }
        }

        new Thread(() => Serve(work), maxStackSize: 256 * 1024) { IsBackground = true, Name = "vectorpipe reader" }.Start();
    }

    private static void Serve(Action? work)
    {
        using var seat = new Seat();
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
        lock (_gate)
        {
            // It may have been given work just now.
            if (seat.Wait(TimeSpan.Zero) is { } late)
                return late;
            Seat[] others = [.. _resting.Where(other => other != seat).Reverse()];
            Debug.Assert(others.Length == _resting.Count - 1, "a thread that has no work rests");
            _resting.Clear();
            foreach (Seat other in others)
                _resting.Push(other);
            return null;
        }
    }

    /// <summary>Where a thread rests, until work is given to it.</summary>
    private sealed class Seat : IDisposable
    {
        private readonly AutoResetEvent _given = new(initialState: false);
        private Action? _work;

        public void Give(Action work)
        {
            _work = work;
            _given.Set();
        }

        public Action? Wait(TimeSpan bound)
        {
            if (!_given.WaitOne(bound))
                return null;
            Action? work = _work;
            _work = null;
            return work;
        }

        public void Dispose() => _given.Dispose();
    }
}
