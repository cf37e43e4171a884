using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Servers;

/// <summary>A connection that keeps searches on their way. Latency counts from when one was sent, or due if the run is paced.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The connection is disposed by its own thread, in Close.")]
internal sealed class ServerWorker(RunWindow window, ServerPlan plan, int thread, int threads) : RunWorker(window)
{
    private readonly ServerPlan _plan = plan;
    private readonly Queue<(int Query, long From)> _sent = new(plan.Pipeline);
    private ServerConnection _connection = null!;
    private Pacing? _pacing;
    private int _next = (int)((long)thread * plan.Searches.Count / threads);

    /// <summary>Latencies of searches that were refused.</summary>
    public LatencyHistogram Refused { get; } = new();

    /// <summary>Hits that are among the true nearest.</summary>
    public long Found { get; private set; }

    // Reads are the server's.
    protected override DeviceCounters Counters => default;

    protected override void Open() => _connection = new ServerConnection(_plan.Ports[thread % _plan.Ports.Count]);

    protected override void Begin() =>
        _pacing = _plan.Rate is { } rate ? new Pacing(rate, thread, threads, Stopwatch.GetTimestamp()) : null;

    protected override void Restart()
    {
        Refused.Clear();
        Found = 0;
    }

    protected override void Turn()
    {
        long now = Stopwatch.GetTimestamp();
        while (_sent.Count < _plan.Pipeline && MayStart)
        {
            long from = now;
            if (_pacing is not null && !_pacing.TryTake(now, out from))
                break;
            _connection.Add(_plan.Searches[_next]);
            _sent.Enqueue((_next, from));
            _next = (_next + 1) % _plan.Searches.Count;
        }

        _connection.Flush();

        // With room for more, replies are waited for until the next search is due.
        bool isFull = _sent.Count == _plan.Pipeline || _pacing is null;
        if (!isFull && !_connection.Waits(_pacing!.Next - Stopwatch.GetTimestamp()))
            return;
        _connection.Receive();
        TakeReplies(areCounted: true);
    }

    protected override void Close()
    {
        // Replies that are on their way are no part of the run.
        while (Error is null && _connection is not null && _sent.Count > 0)
        {
            _connection.Receive();
            TakeReplies(areCounted: false);
        }

        _connection?.Dispose();
    }

    private void TakeReplies(bool areCounted)
    {
        while (_sent.Count > 0 && _connection.TryTake(out string? error))
        {
            (int query, long from) = _sent.Dequeue();
            if (!areCounted)
                continue;
            long latencyNs = Clock.ToNs(Stopwatch.GetTimestamp() - from);
            if (error is not null)
            {
                if (!error.StartsWith("BUSY", StringComparison.Ordinal))
                    throw new IOException($"The server: expected hits, found '{error}'.");
                Refused.Record(latencyNs);
                continue;
            }

            if (_plan.Validate && _connection.Numbers.Count != _plan.K)
                throw new IOException($"The server: expected {_plan.K} hits, found {_connection.Numbers.Count}.");
            foreach (long id in _connection.Numbers)
                Found += _plan.Recall?.Counts(query, new SearchHit((ulong)id, float.NaN)) == true ? 1 : 0;
            Complete(latencyNs);
        }
    }
}
