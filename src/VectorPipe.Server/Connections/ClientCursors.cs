using System.Diagnostics;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Connections;

/// <summary>The searches of a client that can go on, by their numbers.</summary>
/// <remarks>
/// <para>A few at once: a further one ends the one that waited longest. One that nobody asks for ends, too, as each keeps memory.</para>
/// <para>Thread-safe. A cursor that was taken is the caller's until it is returned or ended.</para>
/// </remarks>
/// <param name="clock">The clock of the server.</param>
/// <param name="places">Places for the cursors of all clients.</param>
internal sealed class ClientCursors(TimeProvider clock, SemaphoreSlim places) : IDisposable
{
    /// <summary>Cursors of a client that wait at once.</summary>
    public const int Most = 4;

    /// <summary>How long a cursor waits.</summary>
    public static readonly TimeSpan LongestIdle = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();

    // Those that wait, longest first; each has a place.
    private readonly List<(long Id, long Since, SimilarityCursor Cursor)> _waiting = [];
    private ITimer? _timer;
    private long _last;
    private bool _isDisposed;

    /// <summary>Keeps a new cursor.</summary>
    /// <returns>Its number, 1 or more; no other of this client has it.</returns>
    /// <exception cref="CommandException">All clients together have too many.</exception>
    public long Add(SimilarityCursor cursor)
    {
        lock (_gate)
        {
            if (_waiting.Count == Most)
                RemoveFirst();
            if (!places.Wait(0))
                throw new CommandException("BUSY Too many cursors of all clients; they end when their hits were taken or a minute later");
            Keep(++_last, cursor);
            return _last;
        }
    }

    /// <summary>Takes a cursor, to go on with it.</summary>
    /// <exception cref="CommandException">There is none of that number.</exception>
    public SimilarityCursor Take(long id)
    {
        lock (_gate)
        {
            int at = _waiting.FindIndex(one => one.Id == id);
            if (at < 0)
            {
                throw new CommandException(id <= _last
                    ? $"NOCURSOR Cursor {id} has ended: it was at its end, or idle for {LongestIdle.TotalSeconds} s, or {Most} others came"
                    : $"NOCURSOR Cursor {id} is none of this connection");
            }

            SimilarityCursor cursor = _waiting[at].Cursor;
            _waiting.RemoveAt(at);
            AssertInvariants();
            return cursor;
        }
    }

    /// <summary>Keeps a cursor that was taken.</summary>
    public void Return(long id, SimilarityCursor cursor)
    {
        lock (_gate)
        {
            if (_isDisposed)
                places.Release();
            else
                Keep(id, cursor);
        }
    }

    /// <summary>Gives up a cursor that was taken.</summary>
    public void End() => places.Release();

    /// <summary>Ends all that wait.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            while (_waiting.Count > 0)
                RemoveFirst();
            StopTimer();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            Clear();
        }
    }

    private void Keep(long id, SimilarityCursor cursor)
    {
        if (_waiting.Count == Most)
            RemoveFirst();
        _waiting.Add((id, clock.GetTimestamp(), cursor));
        _timer ??= clock.CreateTimer(static cursors => ((ClientCursors)cursors!).EndIdle(), this, LongestIdle, Timeout.InfiniteTimeSpan);
        AssertInvariants();
    }

    private void RemoveFirst()
    {
        _waiting.RemoveAt(0);
        places.Release();
    }

    private void EndIdle()
    {
        lock (_gate)
        {
            while (_waiting.Count > 0 && clock.GetElapsedTime(_waiting[0].Since) >= LongestIdle)
                RemoveFirst();
            if (_waiting.Count == 0)
                StopTimer();
            else
                _timer?.Change(Max(LongestIdle - clock.GetElapsedTime(_waiting[0].Since), _shortest), Timeout.InfiniteTimeSpan);
            AssertInvariants();
        }
    }

    private void StopTimer()
    {
        _timer?.Dispose();
        _timer = null;
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_waiting.Count <= Most, "a further one ends another");
        Debug.Assert(_waiting.Count == 0 || (_timer is not null && !_isDisposed), "one that waits ends by itself");
        Debug.Assert(_waiting.TrueForAll(one => one.Id >= 1 && one.Id <= _last), "numbers are those that were given");
    }
}
