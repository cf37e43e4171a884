using Microsoft.Extensions.VectorData;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>Records that are written together are written all, or none.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class BatchTests : IDisposable
{
    private readonly StoreDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Test]
    public async Task A_record_that_cannot_be_written_leaves_none_of_its_batch()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = await OpenAsync(store);
        Book[] all = [.. Enumerable.Range(0, 600).Select(Book.Of)];
        all[^2].Embedding = new float[] { 1, float.NaN, 0, 0 };
        await Assert.ThatAsync(() => books.UpsertAsync(all), Throws.InstanceOf<VectorStoreException>());
        Assert.That(await books.GetAsync(_ => true, 1000).ToListAsync(), Is.Empty);
        all[^2].Embedding = new float[] { 1, 2, 0, 0 };
        await books.UpsertAsync(all);
        Assert.That(await books.GetAsync(_ => true, 1000).ToListAsync(), Has.Count.EqualTo(all.Length));
    }

    [Test]
    public async Task More_than_one_batch_holds_is_written_as_several_in_order()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = await OpenAsync(store);
        Book[] all = [.. Enumerable.Range(0, 12).Select(Book.Of)];
        for (int i = 0; i < all.Length; i++)
        {
            // 900 kB each: one key comes twice, in two batches.
            all[i].Title = new string((char)('a' + i), 900_000);
            all[i].Isbn = $"isbn {i % 11}";
        }

        await books.UpsertAsync(all);
        List<Book> found = await books.GetAsync(_ => true, 20).ToListAsync();
        Assert.That(found.Select(book => book.Isbn), Is.EquivalentTo(all[1..].Select(book => book.Isbn)));
        Assert.That(found.Single(book => book.Isbn == "isbn 0").Title![0], Is.EqualTo('l'), "the last one of the key");
    }

    [Test]
    public async Task Keys_are_deleted_together()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = await OpenAsync(store);
        await books.UpsertAsync(Enumerable.Range(0, 5).Select(Book.Of));
        string refused = new('x', 513);
        await Assert.ThatAsync(() => books.DeleteAsync(["isbn 1", refused, "isbn 2"]), Throws.InstanceOf<VectorStoreException>());
        Assert.That(await books.GetAsync(_ => true, 10).ToListAsync(), Has.Count.EqualTo(5));
        await books.DeleteAsync(["isbn 1", "unknown", "isbn 2"]);
        Assert.That(
            (await books.GetAsync(_ => true, 10).ToListAsync()).Select(book => book.Isbn),
            Is.EquivalentTo(new[] { "isbn 0", "isbn 3", "isbn 4" }));
    }

    [Test]
    public async Task A_call_that_was_cancelled_before_writes_and_reads_nothing()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = await OpenAsync(store);
        await books.UpsertAsync(Book.Of(1));
        var cancelled = new CancellationToken(canceled: true);
        Assert.That(async () => await books.UpsertAsync(Book.Of(2), cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await books.UpsertAsync([Book.Of(3), Book.Of(4)], cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(async () => await books.DeleteAsync("isbn 1", cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(async () => await books.DeleteAsync(["isbn 1"], cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await books.SearchAsync(new float[4], 1, cancellationToken: cancelled).ToListAsync(),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await books.GetAsync(_ => true, 1, cancellationToken: cancelled).ToListAsync(),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That((await books.GetAsync(_ => true, 10).ToListAsync()).Select(book => book.Isbn), Is.EqualTo(new[] { "isbn 1" }));
    }

    [Test]
    public async Task A_batch_of_which_the_embeddings_are_cancelled_is_not_written()
    {
        using var cancellation = new CancellationTokenSource();
        using var generator = new WordGenerator { Begins = cancellation.Cancel };
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<object, Dictionary<string, object?>> records =
            store.GetDynamicCollection("x", Definitions.Of(typeof(int), vector: typeof(string), generator: generator));
        await records.EnsureCollectionExistsAsync();
        Dictionary<string, object?>[] words = [.. new[] { "whale", "ship" }
            .Select((word, i) => new Dictionary<string, object?> { ["Id"] = i, ["Value"] = i, ["Vector"] = word })];
        Assert.That(async () => await records.UpsertAsync(words, cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(generator.Calls, Is.EqualTo(1));
        Assert.That(await records.GetAsync(_ => true, 10).ToListAsync(), Is.Empty);
    }

    private static async Task<VectorStoreCollection<string, Book>> OpenAsync(VectorPipeVectorStore store)
    {
        VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>("books");
        await books.EnsureCollectionExistsAsync();
        return books;
    }
}
