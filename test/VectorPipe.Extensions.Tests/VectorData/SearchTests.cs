using System.Linq.Expressions;
using Microsoft.Extensions.VectorData;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>Searches and filters against the same question asked of the records in memory.</summary>
[TestFixture]
internal sealed class SearchTests
{
    private const int Count = 120;

    private static readonly string?[] _languages = ["de", null];

    private readonly StoreDirectory _directory = new();
    private readonly Book[] _all = [.. Enumerable.Range(0, Count).Select(Book.Of)];
    private VectorPipeVectorStore _store = null!;
    private VectorStoreCollection<string, Book> _books = null!;

    [OneTimeSetUp]
    public async Task OpenAsync()
    {
        _store = _directory.Open();
        _books = _store.GetCollection<string, Book>("books");
        await _books.EnsureCollectionExistsAsync();
        await _books.UpsertAsync(_all);
    }

    [OneTimeTearDown]
    public void Close()
    {
        _books.Dispose();
        _store.Dispose();
        _directory.Dispose();
    }

    [Test]
    public async Task Hits_are_the_nearest_first_with_the_scores_of_the_distance_function()
    {
        List<VectorSearchResult<Book>> hits = await _books.SearchAsync(new float[] { 10.2f, 0, 0, 0 }, 3).ToListAsync();
        Assert.That(hits.Select(hit => hit.Record.Isbn), Is.EqualTo(new[] { "isbn 10", "isbn 11", "isbn 9" }));
        Assert.That(hits[1].Score, Is.EqualTo(0.64).Within(1e-4));
        Assert.That(hits[0].Record.Embedding.Length, Is.Zero);
        hits = await _books.SearchAsync(new ReadOnlyMemory<float>([10, 0, 0, 0]), 1, new() { IncludeVectors = true }).ToListAsync();
        Assert.That(hits[0].Record.Embedding.ToArray(), Is.EqualTo(new float[] { 10, 0, 0, 0 }));
    }

    [Test]
    public async Task Pages_follow_each_other_and_end_at_the_threshold()
    {
        float[] query = [0, 0, 0, 0];
        List<VectorSearchResult<Book>> page = await _books.SearchAsync(query, 5, new() { Skip = 10 }).ToListAsync();
        Assert.That(page.Select(hit => hit.Record.Year), Is.EqualTo(Enumerable.Range(1910, 5)));
        page = await _books.SearchAsync(query, 50, new() { ScoreThreshold = 16, Skip = 2 }).ToListAsync();
        Assert.That(page.Select(hit => hit.Score), Is.EqualTo(new double[] { 4, 9, 16 }));
        Assert.That(await _books.SearchAsync(query, 5, new() { Skip = Count }).ToListAsync(), Is.Empty);
    }

    [Test]
    public async Task Filters_hold_for_the_same_records_as_in_memory([Range(0, 54)] int number)
    {
        Expression<Func<Book, bool>> filter = Filters()[number];
        Book[] expected = [.. _all.Where(filter.Compile())];
        List<Book> found = await _books.GetAsync(filter, Count).ToListAsync();
        Assert.That(found.Select(book => book.Isbn), Is.EquivalentTo(expected.Select(book => book.Isbn)), filter.ToString());
        List<VectorSearchResult<Book>> hits = await _books
            .SearchAsync(new float[] { 0, 0, 0, 0 }, Count, new() { Filter = filter }).ToListAsync();
        Assert.That(hits.Select(hit => hit.Record.Isbn), Is.EqualTo(expected.Select(book => book.Isbn)), filter.ToString());
    }

    [Test]
    public async Task Filtered_records_come_in_the_order_that_is_asked_for()
    {
        List<Book> found = await _books.GetAsync(
            book => book.Year < 1920, 4,
            new() { Skip = 2, OrderBy = order => order.Descending(book => book.Draft).Ascending(book => book.Price) }).ToListAsync();
        Assert.That(
            found.Select(book => book.Isbn),
            Is.EqualTo(_all.Where(book => book.Year < 1920).OrderByDescending(book => book.Draft).ThenBy(book => book.Price)
                .Skip(2).Take(4).Select(book => book.Isbn)));
    }

    [Test]
    public async Task Filtered_records_bring_their_vectors_if_they_are_asked_for([Values] bool withVectors)
    {
        Book found = (await _books.GetAsync(book => book.Year == 1907, 2, new() { IncludeVectors = withVectors }).ToListAsync()).Single();
        Assert.That(found.Embedding.ToArray(), Is.EqualTo(withVectors ? new float[] { 7, 0, 0, 0 } : []));
    }

    [Test]
    public async Task A_search_names_the_property_of_its_vector_and_no_other_one()
    {
        List<VectorSearchResult<Book>> hits = await _books
            .SearchAsync(new float[] { 10.2f, 0, 0, 0 }, 1, new() { VectorProperty = book => book.Embedding }).ToListAsync();
        Assert.That(hits.Single().Record.Isbn, Is.EqualTo("isbn 10"));
        Assert.That(
            () => _books.SearchAsync(new float[4], 1, new() { VectorProperty = book => book.Title }),
            Throws.InvalidOperationException.With.Message.Contains("Title"));
    }

    [Test]
    public void Filters_that_no_collection_understands_are_refused_with_the_part()
    {
        Assert.That(
            () => _books.GetAsync(book => book.Title == "x", 1),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains("Title").And.Message.Contains("IsIndexed"));
        Assert.That(
            () => _books.GetAsync(book => book.Year % 2 == 0, 1), Throws.TypeOf<NotSupportedException>().With.Message.Contains("% 2"));
        Assert.That(() => _books.GetAsync(book => book.Year == book.Shelf, 1), Throws.TypeOf<NotSupportedException>());
        Assert.That(
            () => _books.SearchAsync(new float[4], 1, new() { Filter = book => book.Language!.EndsWith('e') }),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains("EndsWith"));
    }

    [Test]
    public void Filters_that_would_mean_something_else_in_a_collection_are_refused()
    {
        IEnumerable<string> anyCase = new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "DE" };
        double huge = 1e300;
        Expression<Func<Book, bool>>[] filters =
        [
            book => (int)book.Price == 3,
            book => (byte)book.Year == 3,
            book => book.Year == (int)huge,
            book => book.Language!.StartsWith("DE", StringComparison.OrdinalIgnoreCase),
            book => anyCase.Contains(book.Language!),
            book => book.Tags!.Any(tag => anyCase.Contains(tag)),
        ];
        foreach (Expression<Func<Book, bool>> filter in filters)
            Assert.That(() => _books.GetAsync(filter, 1), Throws.TypeOf<NotSupportedException>(), filter.ToString());
    }

    [Test]
    public void An_error_of_a_filter_is_the_cause_of_that_of_the_store()
    {
        double most = double.PositiveInfinity;
        foreach (Action search in new Action[]
        {
            () => _books.SearchAsync(new float[4], 1, new() { Filter = book => book.Price < most }),
            () => _books.GetAsync(book => book.Price < most, 1),
        })
        {
            VectorStoreException? error = Assert.Throws<VectorStoreException>(search);
            Assert.That(error!.InnerException, Is.TypeOf<InvalidFilterException>());
            Assert.That(error.CollectionName, Is.EqualTo("books"));
        }
    }

    [Test]
    public async Task Whoever_reads_a_sequence_may_cancel_it()
    {
        var cancelled = new CancellationToken(canceled: true);
        string[] keys = [.. _all.Select(book => book.Isbn)];
        await Assert.ThatAsync(
            () => _books.GetAsync(keys).ToListAsync(cancelled).AsTask(), Throws.InstanceOf<OperationCanceledException>());
        await Assert.ThatAsync(
            () => _books.GetAsync(book => true, Count).ToListAsync(cancelled).AsTask(), Throws.InstanceOf<OperationCanceledException>());
        await Assert.ThatAsync(
            () => _books.GetAsync(book => true, Count, new() { OrderBy = order => order.Ascending(book => book.Year) })
                .ToListAsync(cancelled).AsTask(),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public async Task Bad_arguments_are_refused_at_the_call()
    {
        Assert.That(() => _books.SearchAsync(new float[4], 0), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => _books.GetAsync(book => true, 0), Throws.InstanceOf<ArgumentOutOfRangeException>());
        await Assert.ThrowsAsync<NotSupportedException>(async () => await _books.SearchAsync("text", 1).ToListAsync());
        Assert.That(async () => await _books.SearchAsync(new float[3], 1).ToListAsync(), Throws.Exception.With.Message.Contains("4"));
    }

    [TestCase(DistanceFunction.CosineSimilarity, 0.6, 0.7, 1)]
    [TestCase(DistanceFunction.CosineDistance, 0.4, 0.3, 1)]
    [TestCase(DistanceFunction.DotProductSimilarity, 6, 7, 1)]
    [TestCase(DistanceFunction.NegativeDotProductSimilarity, -6, -7, 1)]
    [TestCase(DistanceFunction.EuclideanDistance, 4.47214, 4, 0)]
    [TestCase(DistanceFunction.EuclideanSquaredDistance, 20, 16, 0)]
    [TestCase(null, 0.6, 0.7, 1)]
    public async Task Scores_and_thresholds_are_in_the_scale_of_the_function(string? function, double score, double beyond, int which)
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<object, Dictionary<string, object?>> records = store.GetDynamicCollection(
            $"scores {function}", Definitions.Of(typeof(int), function: function, kind: Microsoft.Extensions.VectorData.IndexKind.Flat));
        await records.EnsureCollectionExistsAsync();
        await records.UpsertAsync(new Dictionary<string, object?> { ["Id"] = which, ["Vector"] = new ReadOnlyMemory<float>([3, 4, 0, 0]) });
        float[] query = which == 1 ? [2, 0, 0, 0] : [1, 0, 0, 0];
        VectorSearchResult<Dictionary<string, object?>> hit = (await records.SearchAsync(query, 1).ToListAsync())[0];
        Assert.That(hit.Score, Is.EqualTo(score).Within(1e-4));
        Assert.That(await records.SearchAsync(query, 1, new() { ScoreThreshold = beyond }).ToListAsync(), Is.Empty);
        Assert.That(await records.SearchAsync(query, 1, new() { ScoreThreshold = hit.Score }).ToListAsync(), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task Dynamic_records_are_filtered_by_name()
    {
        VectorStoreCollection<object, Dictionary<string, object?>> records =
            _store.GetDynamicCollection("dynamic", Definitions.Of(typeof(int)));
        await records.EnsureCollectionExistsAsync();
        await records.UpsertAsync(Enumerable.Range(0, 9).Select(i => new Dictionary<string, object?>
        {
            ["Id"] = i,
            ["Value"] = i,
            ["Vector"] = new ReadOnlyMemory<float>([i, 0, 0, 0]),
        }));
        int least = 5;
        List<Dictionary<string, object?>> found = await records.GetAsync(record => (int)record["Value"]! > least, 10).ToListAsync();
        Assert.That(found.Select(record => record["Id"]), Is.EquivalentTo(new[] { 6, 7, 8 }));
    }

    private static Expression<Func<Book, bool>>[] Filters()
    {
        int year = 1950;
        int? since = null, until = 1920;
        string? language = null;
        long? none = null;
        Guid edition = new(8, 0, 0, new byte[8]);
        DateTimeOffset seen = new(2026, 2, 1, 0, 0, 0, TimeSpan.Zero);
        DateTime printed = new(1960, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        string[] tags = ["t3", "t7", "whale"];
        List<int> years = [1901, 1950, 3000];
        double average = 1950.7, third = 7 / 3f;
        int shelf = 65_539;
        DayOfWeek kind = DayOfWeek.Sunday;
        byte level = 3;
        short small = 3;
        IEnumerable<string> ordinal = new HashSet<string> { "de", "en" };
        return
        [
            book => true,
            book => false,
            book => book.Year == 1950,
            book => book.Year != 1950,
            book => 1950 > book.Year,
            book => year <= book.Year,
            book => book.Year < year && book.Draft,
            book => book.Year < 1910 || !book.Draft,
            book => !(book.Year < year),
            book => book.Draft == false,
            book => book.Copies == null,
            book => book.Copies != null,
            book => book.Copies == none,
            book => book.Copies != 10_000_000_000L,
            book => book.Copies > 200_000_000_000L,
            book => !(book.Copies > 200_000_000_000L),
            book => book.Shelf == 3,
            book => book.Rating > 4.3f,
            book => book.Rating != 1f,
            book => book.Price < 0,
            book => book.Price >= 0.1 * 7,
            book => book.Language == "de",
            book => book.Language != "de",
            book => book.Language == null,
            book => !(book.Language == "de"),
            book => book.Edition == edition,
            book => book.Seen > seen,
            book => book.Printed < printed,
            book => years.Contains(book.Year),
            book => !years.Contains(book.Year),
            book => new[] { "en", "fr" }.Contains(book.Language),
            book => _languages.Contains(book.Language),
            book => book.Tags != null && book.Tags.Contains("sea"),
            book => book.Tags != null && book.Tags.Any(tag => tags.Contains(tag)),
            book => book.Tags != null && book.Tags.Any(tag => tag == "land"),
            book => book.Tags == null,
            book => book.Language != null && book.Language.StartsWith("de", StringComparison.Ordinal),
            book => book.Year > 1910 && (book.Language == "en" || book.Language == null) && !(book.Draft && book.Price > 2),
            book => book.Year >= (since ?? 1930),
            book => book.Year >= (until ?? 1930),
            book => since == null || book.Year >= since,
            book => until == null || book.Year <= until,
            book => language == null || book.Language == language,
            book => null != until && book.Year <= until,
            book => book.Year == (int)average,
            book => book.Rating == (float)third,
            book => (double)book.Year > average,
            book => book.Shelf == (short)shelf,
            book => kind == DayOfWeek.Sunday || book.Year == 1901,
            book => kind != DayOfWeek.Sunday || book.Year == 1901,
            book => level == 3 || book.Year == 1901,
            book => small != 3 && book.Year == 1901,
            book => book.Language != null && book.Language.StartsWith('d'),
            book => book.Tags != null && book.Tags.Any(tag => tag == language),
            book => ordinal.Contains(book.Language!),
        ];
    }
}
