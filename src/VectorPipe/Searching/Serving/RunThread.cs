using VectorPipe.Pipeline;

namespace VectorPipe.Searching.Serving;

/// <summary>A thread that serves the requests of any number of indexes, each through its <see cref="SearchLane"/>.</summary>
/// <remarks>Tenants and lanes take turns, so that an index with many requests does not hold up another one.</remarks>
internal sealed class RunThread : IDisposable
{
    // Pause instructions between two looks for a call.
    private const int PollPause = 8;

    private readonly Thread _thread;
    private readonly AutoResetEvent _wake = new(false);
    private readonly Lock _lock = new();
    private readonly List<SearchLane> _called = [];

    // Lanes that have something to do, or a runner.
    private readonly LaneTurns _turns = new();

    // Looks for calls before it sleeps: those of a program that asks one query after another.
    private readonly WaitPolling _polling = new(fixedUs: null, TimeProvider.System);
    private bool _isCalled;
    private bool _isAsleep;
    private int _load;
    private int _scans;
    private int _scanLoad;
    private bool _isStopping;

    /// <param name="number">Number of the thread.</param>
    /// <param name="start">Starts it.</param>
    public RunThread(int number, Action<Thread> start)
    {
        _thread = new Thread(Run) { IsBackground = true, Name = $"VectorPipe search {number}" };
        start(_thread);
    }

    public string Name => _thread.Name!;

    /// <summary>Requests posted and not answered, of all indexes, and the load of a scan if there is one.</summary>
    public int Load => Volatile.Read(ref _load) + (Volatile.Read(ref _scans) > 0 ? Volatile.Read(ref _scanLoad) : 0);

    /// <summary>Has the thread serve a lane soon. Any thread.</summary>
    public void Call(SearchLane lane)
    {
        lock (_lock)
        {
            _called.Add(lane);
            Volatile.Write(ref _isCalled, true);
        }

        Wake();
    }

    /// <summary>Counts requests, and exact searches among them. Any thread.</summary>
    /// <param name="requests">How many more.</param>
    /// <param name="scans">Exact searches among them.</param>
    /// <param name="scanLoad">Requests whose load a scan counts as.</param>
    public void Count(int requests, int scans, int scanLoad)
    {
        Interlocked.Add(ref _load, requests);
        if (scans == 0)
            return;
        Volatile.Write(ref _scanLoad, scanLoad);
        Interlocked.Add(ref _scans, scans);
    }

    /// <summary>Ends the thread, whose lanes have all closed, and waits for it. Leaves the event to the garbage collector.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isStopping, true);
        Wake();
        _thread.Join();
    }

    // A thread that works or looks for calls finds them without the system call.
    private void Wake()
    {
        if (Interlocked.Exchange(ref _isAsleep, false))
            _wake.Set();
    }

    private void Run()
    {
        do
        {
            TakeCalled();
            while (_turns.ServeAll())
                TakeCalled();
        }
        while (Rest());
    }

    private void TakeCalled()
    {
        lock (_lock)
        {
            foreach (SearchLane lane in _called)
                _turns.Add(lane);
            _called.Clear();
            Volatile.Write(ref _isCalled, false);
        }
    }

    /// <summary>Sleeps until a lane is called, or reads of ended requests may have landed. False if the thread must end.</summary>
    private bool Rest()
    {
        int restMs = _turns.RestMs();
        if (LookForCalls())
            return true;

        // In this order: who calls sees that it sleeps, or it sees the call.
        Interlocked.Exchange(ref _isAsleep, true);
        if (Volatile.Read(ref _isStopping))
            return false;
        if (!Volatile.Read(ref _isCalled))
            _wake.WaitOne(restMs);
        Volatile.Write(ref _isAsleep, false);
        return true;
    }

    // To be woken takes longer than to look: see docs/decisions.md#polling.
    private bool LookForCalls()
    {
        long ticks = _polling.TicksFor(0);
        if (ticks == 0)
            return false;
        TimeProvider clock = _polling.Clock;
        long last = clock.GetTimestamp(), end = last + ticks, gap = 0;
        while (!Volatile.Read(ref _isCalled) && last < end && !Volatile.Read(ref _isStopping))
        {
            Thread.SpinWait(PollPause);
            long now = clock.GetTimestamp();
            gap = Math.Max(gap, now - last);
            last = now;
        }

        bool isCalled = Volatile.Read(ref _isCalled);
        _polling.Note(isCalled, gap);
        return isCalled;
    }
}
