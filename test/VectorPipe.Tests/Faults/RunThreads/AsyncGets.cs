using NUnit.Framework;
using VectorPipe.Model.Open;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>Look-ups by the one run thread of an index on a fault device over a simulated disk.</summary>
/// <remarks>Keys are row numbers; every tenth look-up misses its key.</remarks>
internal sealed class AsyncGets : IDisposable
{
    private const int MaxAsks = 1000;

    private readonly TestIndex _test;
    private readonly List<(int Key, bool WithLinks, Task<VectorRecord?> Task)> _waiting = [];
    private readonly ManualResetEventSlim _posting = new();
    private int _posted;

    public AsyncGets(TestIndex test, int seed, TimeSpan readTimeout)
    {
        _test = test;
        OpenOptions options = new()
        {
            QueriesInFlight = 2,
            SearchThreads = 1,
            ReadTimeout = readTimeout,
            Device = new DeviceOptions { Tuning = new DeviceTuning { SubmitEvery = 4 } }
        };
        Index = VectorIndex.Open(test.Directory, options, (paths, _, _) => Device = new FaultDevice(new SimulatedDevice(paths, seed)));
    }

    public VectorIndex Index { get; }

    public FaultDevice Device { get; private set; } = null!;

    /// <summary>Look-ups that ended with the right vector.</summary>
    public int Answers { get; private set; }

    /// <summary>Look-ups that ended in a typed error.</summary>
    public int Failures { get; private set; }

    /// <summary>Completions that came twice and were dropped.</summary>
    public long Strays => Index.RunThreadReads.Sum(session => session.StrayCompletions);

    /// <summary>Posts look-ups without waiting.</summary>
    public void Post(int count, CancellationToken cancellationToken = default)
    {
        for (int i = 0; i < count; i++)
        {
            int key = _posted % 10 == 9 ? 1000 + _posted : _posted * 7 % _test.Count;
            bool withLinks = _posted++ % 2 == 0;
            _waiting.Add((key, withLinks, Index.GetAsync((ulong)key, withLinks, cancellationToken).AsTask()));
        }
    }

    /// <summary>Posts the first look-ups before the run thread opens its queue, which accepts them together.</summary>
    public void PostTogether(int count)
    {
        Action open = Device.Plan.OnOpen;
        Device.Plan.OnOpen = () =>
        {
            _posting.Wait();
            open();
        };
        Post(count);
        _posting.Set();
    }

    /// <summary>Waits for all look-ups: each has the right vector or an error that a caller can expect.</summary>
    public void AwaitAll()
    {
        foreach ((int key, bool withLinks, Task<VectorRecord?> task) in _waiting)
        {
            try
            {
                VectorRecord? record = task.GetAwaiter().GetResult();
                bool isRight = key < _test.Count ? record is { } found
                    && found.Bytes.Span.SequenceEqual(_test.Rows.AsSpan(key * _test.RowBytes, _test.RowBytes)) : record is null;
                if (!isRight)
                    Assert.Fail($"key {key} was {(record is null ? "not found" : "found with another vector")}");
                if (record is { Links.Length: > 0 } answer && !withLinks)
                    Assert.Fail($"key {key} was found with {answer.Links.Length} links without a request for them");
                Answers++;
            }
            catch (Exception e) when (
                e is DeviceException or IndexCorruptException or OperationCanceledException or ObjectDisposedException)
            {
                Failures++;
            }
        }

        _waiting.Clear();
    }

    /// <summary>Asserts that without faults look-ups are answered, and that ops, buffers and requests come back.</summary>
    public void AssertWhole()
    {
        Device.Plan = new FaultPlan { FindsLost = true };

        // The clock of the simulated disk advances with its reads, but a thread that the machine delays may miss a short time-out.
        bool isWhole = false;
        for (int i = 0; i < MaxAsks && !isWhole; i++)
        {
            int answers = Answers;
            Post(3);
            AwaitAll();
            isWhole = Answers == answers + 3 && Index.RunThreadReads.All(session => session.Free == session.Capacity);
        }

        Assert.That(isWhole, Is.True, "look-ups fail or reads stay in flight although the device works");
        AssertSettled();
    }

    /// <summary>Asserts that ops, buffers and requests come back without another request.</summary>
    public void AssertSettled()
    {
        PendingIoSession session = Index.RunThreadReads.Single();
        bool isSettled = SpinWait.SpinUntil(() => session.Pending == 0 && session.Free == session.Capacity, HangBound.Patience);
        Assert.That(
            isSettled, Is.True, $"expected an idle session, found {session.Free} of {session.Capacity} free and {session.Pending} pending");
        Assert.That(Index.RequestsRented, Is.Zero, "rented requests");
    }

    public string Describe() =>
        $"{_posted} posted, {_waiting.Count(get => !get.Task.IsCompleted)} waiting; "
        + $"{string.Join("; ", Index.RunThreadReads.Select(session => session.DescribeInFlight()))}";

    public void Dispose()
    {
        Index.Dispose();
        _posting.Dispose();
    }
}
