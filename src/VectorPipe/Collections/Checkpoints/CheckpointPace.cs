using System.Diagnostics;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>How fast a checkpoint goes: as fast as it can, unless searches run and it is ahead of the writes that come in.</summary>
/// <remarks>
/// A checkpoint has until the next one is due. It works in short pieces and sleeps between them, so that searches find a processor. The
/// time for which it sleeps is bounded, so that it also ends when nobody writes. Thread-safe.
/// </remarks>
internal sealed class CheckpointPace
{
    // A piece of work is followed by at most this many times its length of sleep: a checkpoint then takes four times as long.
    private const int MostRest = 3;

    private const int MostThreads = 4;

    // 2,000 writes and searches a second each, 1M records, two cores: batches grow to 41,000 writes in 300 s, and all are served. With four
    // batches for a thread they grew to 73,000, and 2,900 to 3,900 operations a second were left of 4,000 (one run each).
    private const int BatchesOfThread = 2;

    private static readonly TimeSpan _longestRest = TimeSpan.FromMilliseconds(50);

    private static readonly TimeSpan _quiet = TimeSpan.FromMilliseconds(200);

    private readonly Lock _gate = new();
    private readonly Func<double> _due;
    private readonly Func<long> _reads;
    private readonly CancellationToken _cancellationToken;
    private long _total = 1;
    private long _done;
    private long _lastReads;
    private long _lastRead;

    /// <param name="due">The part of the writes that came in after which the next checkpoint is due; infinite if it is waited for.</param>
    /// <param name="reads">Searches and look-ups that began so far.</param>
    /// <param name="cancellationToken">Ends a sleep.</param>
    public CheckpointPace(Func<double> due, Func<long> reads, CancellationToken cancellationToken)
    {
        _due = due;
        _reads = reads;
        _cancellationToken = cancellationToken;
        _lastReads = reads();
    }

    /// <summary>The part of the work that is done, 0 to 1.</summary>
    public double Part => Math.Min(1, Volatile.Read(ref _done) / (double)Volatile.Read(ref _total));

    /// <summary>Whether so much waits that the checkpoint has the priority of searches.</summary>
    /// <remarks>
    /// What waits costs every search, and the more waits the more: a checkpoint that has a tenth of a processor beside them falls behind
    /// for good.
    /// </remarks>
    public bool IsBehind { get; init; }

    /// <summary>Called after each piece of work, on the thread that did it.</summary>
    public Action? Progressed { get; init; }

    /// <summary>Threads that may work: beside searches one, two when four batches of writes have come in, one more with two
    /// more.</summary>
    public int Threads
    {
        get
        {
            int most = Math.Min(MostThreads, 2 * Environment.ProcessorCount);
            return IsAlone ? most : (int)Math.Clamp(_due() / BatchesOfThread, 1, most);
        }
    }

    /// <summary>Whether nobody has searched for a while.</summary>
    public bool IsAlone
    {
        get
        {
            lock (_gate)
            {
                long reads = _reads();
                if (reads != _lastReads)
                    (_lastReads, _lastRead) = (reads, Stopwatch.GetTimestamp());
                return _lastRead == 0 || Stopwatch.GetElapsedTime(_lastRead) > _quiet;
            }
        }
    }

    /// <summary>States how much work there is in all; it may become more.</summary>
    public void Expect(long total) => Volatile.Write(ref _total, Math.Max(1, total));

    /// <summary>Notes a piece of work that was done, and sleeps if there is time.</summary>
    /// <param name="work">The work, in the units of <see cref="Expect"/>.</param>
    /// <param name="began">When the piece was begun, by <see cref="Stopwatch"/>.</param>
    public void Done(long work, long began)
    {
        Interlocked.Add(ref _done, work);
        Progressed?.Invoke();
        if (Part <= _due() || IsAlone)
            return;
        TimeSpan rest = Stopwatch.GetElapsedTime(began) * MostRest;
        _cancellationToken.WaitHandle.WaitOne(rest < _longestRest ? rest : _longestRest);
    }
}
