using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace VectorPipe.Searching;

/// <summary>Batches of look-ups on the thread of a synchronous session.</summary>
/// <remarks>Single-threaded by contract. Requests are made when they are first needed, and kept.</remarks>
internal sealed class SessionLookups
{
    private readonly SearchRunner _runner;
    private readonly int _vectorBytes;
    private readonly Stack<SessionLookup> _idle = new();
    private readonly Stack<SessionLookup> _completed = new();
    private int _made;

    /// <param name="runner">The session's runner.</param>
    /// <param name="vectorBytes">Bytes of a vector.</param>
    public SessionLookups(SearchRunner runner, int vectorBytes)
    {
        _runner = runner;
        _vectorBytes = vectorBytes;
    }

    /// <summary>Looks keys up, as many in flight as the session has ops.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="vectors">Receives a vector a key; rows of missing keys are cleared.</param>
    /// <param name="found">Receives whether each key was found.</param>
    /// <param name="cancellationToken">Ends the look-ups early.</param>
    /// <returns>Keys that were found.</returns>
    public int GetMany(ReadOnlySpan<ulong> keys, Span<byte> vectors, Span<bool> found, CancellationToken cancellationToken)
    {
        int next = 0, done = 0, hits = 0;
        try
        {
            while (done < keys.Length)
            {
                while (next < keys.Length && TryRent(out SessionLookup lookup))
                {
                    lookup.Row = next;
                    lookup.Ask(keys[next++], withLinks: false, Stopwatch.GetTimestamp(), cancellationToken);
                    lookup.Enter(_runner);
                }

                _runner.Turn();
                done += Collect(vectors, found, ref hits);
            }
        }
        catch (Exception e)
        {
            // A look-up that failed, a device that threw, a thread that may not read here: no look-up of this batch goes on into the next.
            _runner.AbortAll(e);
            while (_completed.TryPop(out SessionLookup? aborted))
                _idle.Push(aborted);
            throw;
        }

        return hits;
    }

    private bool TryRent(out SessionLookup lookup)
    {
        if (_idle.TryPop(out lookup!))
            return true;
        if (_made == _runner.Lookups.Capacity)
            return false;
        lookup = new SessionLookup(_completed);
        _made++;
        return true;
    }

    private int Collect(Span<byte> vectors, Span<bool> found, ref int hits)
    {
        int collected = 0;
        Exception? error = null;
        while (_completed.TryPop(out SessionLookup? lookup))
        {
            collected++;
            error ??= lookup.Error;
            if (lookup.Error is null)
            {
                Span<byte> row = vectors.Slice(lookup.Row * _vectorBytes, _vectorBytes);
                found[lookup.Row] = lookup.Found;
                if (lookup.Found)
                {
                    lookup.Vector.CopyTo(row);
                    hits++;
                }
                else
                {
                    row.Clear();
                }
            }

            _idle.Push(lookup);
        }

        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
        return collected;
    }
}
