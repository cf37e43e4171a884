using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults;

/// <summary>A session over a fault device over a simulated disk, with queries and their answers when nothing fails.</summary>
/// <remarks>
/// Beam search answers the same whatever the order of completions. The pipelined mode does so when its list holds every node: each is
/// visited then, and the answer is the exact one.
/// </remarks>
internal sealed class SearchUnderTest : IDisposable
{
    public const int K = 10;

    private readonly TestIndex _test;
    private readonly byte[] _queries;
    private readonly Dictionary<(int, SearchMode), SearchHit[]> _answers = [];
    private readonly SearchHit[] _hits = new SearchHit[K];

    public SearchUnderTest(TestIndex test, int queries, int seed, Func<IDevice, IDevice>? over = null, OpenOptions? options = null)
    {
        _test = test;
        Queries = queries;
        _queries = test.MakeQueries(queries);
        options ??= new OpenOptions { QueriesInFlight = 2, SearchThreads = 1, Device = new DeviceOptions { SubmitEvery = 1 } };
        Index = VectorIndex.Open(test.Directory, options, (paths, _, _) =>
        {
            IDevice disk = new SimulatedDevice(paths, seed);
            return Device = new FaultDevice(over is null ? disk : over(disk));
        });
        Session = Index.OpenSession();
    }

    public int Queries { get; }

    public VectorIndex Index { get; }

    public FaultDevice Device { get; private set; } = null!;

    public SearchSession Session { get; private set; }

    /// <summary>The errors that a failed read may become.</summary>
    public static bool IsTyped(Exception error) => error is VectorPipeException or TimeoutException or OperationCanceledException;

    public ReadOnlyMemory<byte> Query(int query) => _queries.AsMemory(query * _test.RowBytes, _test.RowBytes);

    public SearchOptions Options(SearchMode mode) => new() { Mode = mode, ListSize = mode == SearchMode.Beam ? 40 : _test.Count };

    /// <summary>Searches under a plan.</summary>
    /// <returns>The error; null if there was an answer, which is compared with the fault-free one.</returns>
    public Exception? Search(string name, int query, SearchMode mode, FaultPlan plan, CancellationToken cancellationToken = default)
    {
        SearchHit[] expected = Answer(query, mode);
        Device.Plan = plan;
        try
        {
            int hits = Session.Search(Query(query).Span, K, _hits, Options(mode), cancellationToken).Hits;
            AssertEqual(name, expected, _hits.AsSpan(0, hits));
            return null;
        }
        catch (Exception e) when (IsTyped(e))
        {
            return e;
        }
        finally
        {
            Device.Plan = new FaultPlan();
        }
    }

    /// <summary>The answer when nothing fails.</summary>
    public SearchHit[] Answer(int query, SearchMode mode)
    {
        if (_answers.TryGetValue((query, mode), out SearchHit[]? answer))
            return answer;
        Device.Plan = new FaultPlan();
        var hits = new SearchHit[K];
        SearchStatistics statistics = Session.Search(Query(query).Span, K, hits, Options(mode));
        Reads[(query, mode)] = statistics.Reads;
        return _answers[(query, mode)] = hits;
    }

    /// <summary>Reads of a query when nothing fails; there once it was answered.</summary>
    public Dictionary<(int Query, SearchMode Mode), int> Reads { get; } = [];

    /// <summary>The session must be whole: everything is back, and a query without faults has its answer.</summary>
    public void AssertHealthy(string name, int query, SearchMode mode)
    {
        PipelineHealth.AssertIdle(Session.Reads, name);
        if (Search(name + ", and then none", query, mode, new FaultPlan()) is { } error)
            Assert.Fail($"{name}: a query without faults failed behind it: {error}");
        PipelineHealth.AssertIdle(Session.Reads, name);
    }

    /// <summary>Opens another session in place of one that cannot go on.</summary>
    public void Reopen()
    {
        Session.Dispose();
        Session = Index.OpenSession();
    }

    public static void AssertEqual(string name, ReadOnlySpan<SearchHit> expected, ReadOnlySpan<SearchHit> found)
    {
        if (!expected.SequenceEqual(found))
            Assert.Fail($"{name}: expected {string.Join(", ", expected.ToArray())}; found {string.Join(", ", found.ToArray())}");
    }

    public void Dispose()
    {
        Session.Dispose();
        Index.Dispose();
    }
}
