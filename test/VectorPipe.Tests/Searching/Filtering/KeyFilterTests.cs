using NUnit.Framework;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Filtering;

/// <summary>A filter is resolved once for an index, and its errors are those of the search that asked.</summary>
internal sealed class KeyFilterTests
{
    private const int Rows = 3000;

    private TestIndex _test = null!;
    private byte[] _query = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: Rows, keys: [.. Enumerable.Range(0, Rows).Select(row => 10_000ul + (ulong)row)]);
        _query = _test.MakeQueries(1);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public async Task A_condition_selects_what_a_set_of_its_keys_selects()
    {
        await using VectorIndex index = _test.Open(DeviceKind.Portable);
        ulong[] keys = [.. Enumerable.Range(0, Rows).Select(row => 10_000ul + (ulong)row).Where(key => key % 3 == 0)];
        SearchResult byKeys = await SearchAsync(index, KeyFilter.Of(keys));
        SearchResult byCondition = await SearchAsync(index, KeyFilter.Where(key => key % 3 == 0));

        Assert.That(byCondition, Is.EqualTo(byKeys));
        Assert.That(byCondition.Statistics.Matches, Is.EqualTo(keys.Length));
    }

    [Test]
    public async Task Keys_without_a_vector_match_nothing_and_one_counts_once()
    {
        await using VectorIndex index = _test.Open(DeviceKind.Portable);
        SearchResult some = await SearchAsync(index, KeyFilter.Of([10_005, 5, 10_005, 99_999]));
        SearchResult none = await SearchAsync(index, KeyFilter.Of([]));

        Assert.That(some.Select(hit => hit.Key), Is.EqualTo([10_005ul]));
        Assert.That((some.Statistics.Matches, some.Statistics.EndedBy), Is.EqualTo((1L, SearchEnd.AllMatches)));
        Assert.That((none.Count, none.Statistics.EndedBy, none.Statistics.Reads), Is.EqualTo((0, SearchEnd.AllMatches, 0)));
    }

    [Test]
    public async Task A_condition_is_asked_once_a_key()
    {
        await using VectorIndex index = _test.Open(DeviceKind.Portable);
        int asked = 0;
        var filter = KeyFilter.Where(key => Interlocked.Increment(ref asked) > 0 && key % 2 == 0);
        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => SearchAsync(index, filter).AsTask()));
        using SearchSession session = index.OpenSession();
        session.Search<byte>(_query, 10, new SearchHit[10], new SearchOptions { Keys = filter });

        Assert.That(asked, Is.EqualTo(Rows));
    }

    [Test]
    public async Task An_error_of_a_condition_is_that_of_the_search_and_the_next_search_asks_again()
    {
        await using VectorIndex index = _test.Open(DeviceKind.Portable);
        bool fails = true;
        var filter = KeyFilter.Where(_ => fails ? throw new NotSupportedException("no") : true);

        Assert.That(async () => await SearchAsync(index, filter), Throws.TypeOf<NotSupportedException>());
        fails = false;
        Assert.That(await SearchAsync(index, filter), Has.Count.EqualTo(10));
    }

    [Test]
    public async Task A_damaged_key_directory_is_an_error()
    {
        using TestIndex damaged = TestIndex.Build(count: Rows);
        byte[] bytes = File.ReadAllBytes(damaged.KeysFile);
        bytes[4096 + 100] ^= 1;
        File.WriteAllBytes(damaged.KeysFile, bytes);
        await using VectorIndex index = damaged.Open(DeviceKind.Portable);

        Assert.That(async () => await SearchAsync(index, KeyFilter.Where(_ => true)), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    public async Task A_filter_is_resolved_from_open_files()
    {
        Assume.That(OperatingSystem.IsWindows(), Is.False, "open files keep their names there");
        using TestIndex replaced = TestIndex.Build(count: 300);
        await using VectorIndex index = replaced.Open(DeviceKind.Portable);
        File.Delete(replaced.KeysFile);

        Assert.That(await SearchAsync(index, KeyFilter.Where(_ => true)), Has.Count.EqualTo(10));
    }

    [Test]
    public async Task A_closed_index_resolves_nothing()
    {
        VectorIndex index = _test.Open(DeviceKind.Portable);
        await SearchAsync(index, KeyFilter.Where(_ => true));
        await index.DisposeAsync();

        Assert.That(async () => await SearchAsync(index, KeyFilter.Where(_ => true)), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public async Task A_cancelled_search_does_not_wait_for_its_matches()
    {
        await using VectorIndex index = _test.Open(DeviceKind.Portable);
        using var goOn = new ManualResetEventSlim();
        using var cancellation = new CancellationTokenSource();
        var filter = KeyFilter.Where(_ =>
        {
            goOn.Wait();
            return true;
        });
        var options = new SearchOptions { Keys = filter };
        Task search = index.SearchAsync<byte>(_query, 10, options, cancellation.Token).AsTask();
        await cancellation.CancelAsync();

        Assert.That(async () => await search, Throws.InstanceOf<OperationCanceledException>());
        goOn.Set();
        Assert.That(await SearchAsync(index, filter), Has.Count.EqualTo(10), "the work went on for others");
    }

    private ValueTask<SearchResult> SearchAsync(VectorIndex index, KeyFilter filter) =>
        index.SearchAsync<byte>(_query, 10, new SearchOptions { Keys = filter, Mode = SearchMode.Beam });
}
