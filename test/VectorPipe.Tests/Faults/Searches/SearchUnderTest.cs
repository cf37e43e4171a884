using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>Searches and their answers without faults.</summary>
/// <remarks>
/// Beam search answers the same in any order of completions. The pipelined mode does so when its list holds every node: it visits
/// each, and the answer is exact.
/// </remarks>
internal sealed class SearchUnderTest : SessionUnderTest<SearchCase>
{
    public const int K = 10;

    private readonly byte[] _queries;
    private readonly Dictionary<SearchCase, SearchHit[]> _answers = [];
    private readonly SearchHit[] _hits = new SearchHit[K];

    public SearchUnderTest(
        TestIndex test, int queries, int seed, Func<IReadOnlyList<string>, IDevice>? openDisk = null, OpenOptions? options = null)
        : base(test, seed, openDisk, options) => _queries = test.MakeQueries(queries);

    /// <summary>Modes whose answer depends on no schedule; a pipelined search by gain is not one of them.</summary>
    public static SearchMode[] ModesOfOneAnswer(SearchPolicy policy) =>
        policy == SearchPolicy.List ? [SearchMode.Pipelined, SearchMode.Beam] : [SearchMode.Beam];

    public static void AssertEqual(string name, ReadOnlySpan<SearchHit> expected, ReadOnlySpan<SearchHit> found)
    {
        if (!expected.SequenceEqual(found))
            Assert.Fail($"{name}: expected {string.Join(", ", expected.ToArray())}; found {string.Join(", ", found.ToArray())}");
    }

    public ReadOnlyMemory<byte> Query(int query) => _queries.AsMemory(query * Test.RowBytes, Test.RowBytes);

    /// <summary>The policy of the beam searches; the pipelined ones end with their list.</summary>
    public SearchPolicy Policy { get; init; }

    public SearchOptions Options(SearchMode mode) => Test.Kind == IndexKind.Ivf ? new() { Ivf = new IvfSearch { Probes = 6 } } : new()
    {
        Graph = mode == SearchMode.Pipelined ? new GraphSearch { ListSize = Test.Count }
            : Policy == SearchPolicy.List ? new GraphSearch { ListSize = 40 } : new GraphSearch { Threshold = 0.002f },
        Mode = mode,
    };

    /// <summary>The answer without faults.</summary>
    public SearchHit[] Answer(SearchCase search)
    {
        if (_answers.TryGetValue(search, out SearchHit[]? answer))
            return answer;
        Device.Plan = new FaultPlan();
        var hits = new SearchHit[K];
        Session.Search(Query(search.Query).Span, K, hits, Options(search.Mode));
        return _answers[search] = hits;
    }

    public override IReadOnlyList<IRequestProbe> Probe(SearchCase request)
    {
        SearchRequestProbe probe = new() { Expected = Answer(request) };
        SearchOptions options = Options(request.Mode);
        probe.Search.Ask(Query(request.Query).Span, new SearchPlanner(Index.Contents).Plan(K, options), Stopwatch.GetTimestamp(), default);
        return [probe];
    }

    protected override void Learn(SearchCase request) => Answer(request);

    protected override void Ask(string name, SearchCase request, CancellationToken cancellationToken)
    {
        int hits = Session.Search(Query(request.Query).Span, K, _hits, Options(request.Mode), cancellationToken).Hits;
        AssertEqual(name, Answer(request), _hits.AsSpan(0, hits));
    }
}
