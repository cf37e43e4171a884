using Microsoft.Extensions.VectorData;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>What a store says of its collections, and what it makes and deletes.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class StoreTests : IDisposable
{
    private readonly StoreDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Test]
    public async Task Collections_exist_from_their_creation_to_their_deletion_and_are_listed_by_name()
    {
        string[] names = ["b", ".", "..", "a/b\\c", "Ü %2F", "b."];
        using (VectorPipeVectorStore store = _directory.Open())
        {
            Assert.That(await store.ListCollectionNamesAsync().ToListAsync(), Is.Empty);
            foreach (string name in names)
            {
                VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>(name);
                Assert.That(await books.CollectionExistsAsync(), Is.False, name);
                await books.EnsureCollectionExistsAsync();
                await books.EnsureCollectionExistsAsync();
                Assert.That(await store.CollectionExistsAsync(name), name);
            }
        }

        using VectorPipeVectorStore again = _directory.Open();
        Assert.That(await again.ListCollectionNamesAsync().ToListAsync(), Is.EqualTo(names.Order(StringComparer.Ordinal)));
        foreach (string name in names)
        {
            await again.EnsureCollectionDeletedAsync(name);
            await again.EnsureCollectionDeletedAsync(name);
            Assert.That(await again.CollectionExistsAsync(name), Is.False, name);
        }

        Assert.That(Directory.EnumerateFileSystemEntries(_directory.Path), Is.Empty);
    }

    [Test]
    public async Task A_collection_that_is_deleted_can_be_made_anew_with_another_schema()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>("books");
        await books.EnsureCollectionExistsAsync();
        await books.UpsertAsync(Book.Of(1));
        await books.EnsureCollectionDeletedAsync();
        VectorStoreCollection<object, Dictionary<string, object?>> others =
            store.GetDynamicCollection("books", Definitions.Of(typeof(int)));
        await others.EnsureCollectionExistsAsync();
        Assert.That(await others.GetAsync(1), Is.Null);
    }

    [Test]
    public async Task A_collection_that_another_store_writes_to_is_not_deleted()
    {
        using VectorPipeVectorStore one = _directory.Open(), other = _directory.Open();
        VectorStoreCollection<string, Book> books = one.GetCollection<string, Book>("books");
        await books.EnsureCollectionExistsAsync();
        await books.UpsertAsync(Book.Of(1));
        VectorStoreException? error = await Assert.ThrowsAsync<VectorStoreException>(() => other.EnsureCollectionDeletedAsync("books"));
        Assert.That(error!.InnerException, Is.TypeOf<IndexWriteException>());
        await books.UpsertAsync(Book.Of(2));
        Assert.That(await books.GetAsync("isbn 1"), Is.Not.Null);
    }

    [Test]
    public async Task A_deletion_that_stopped_midway_is_made_again()
    {
        using (VectorPipeVectorStore store = _directory.Open())
        {
            VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>("books");
            await books.EnsureCollectionExistsAsync();
            await books.UpsertAsync(Book.Of(1));
        }

        File.Delete(Path.Combine(_directory.Path, "books", "COLLECTION"));
        using VectorPipeVectorStore again = _directory.Open();
        await again.EnsureCollectionDeletedAsync("books");
        Assert.That(Directory.EnumerateFileSystemEntries(_directory.Path), Is.Empty);
        VectorStoreCollection<string, Book> anew = again.GetCollection<string, Book>("books");
        await anew.EnsureCollectionExistsAsync();
        Assert.That(await anew.GetAsync("isbn 1"), Is.Null);
    }

    [Test]
    public async Task What_differs_from_the_collection_on_disk_or_in_use_is_refused()
    {
        using (VectorPipeVectorStore store = _directory.Open())
        {
            await store.GetCollection<string, Book>("books").EnsureCollectionExistsAsync();
            InvalidOperationException? error = await Assert.ThrowsAsync<InvalidOperationException>(
                () => store.GetDynamicCollection("books", Definitions.Of(typeof(int))).EnsureCollectionExistsAsync());
            Assert.That(error!.Message, Does.Contain("String").And.Contain("Int32"));
        }

        using VectorPipeVectorStore again = _directory.Open();
        InvalidOperationException? other = await Assert.ThrowsAsync<InvalidOperationException>(
            () => again.GetDynamicCollection("books", Definitions.Of(typeof(string))).EnsureCollectionExistsAsync());
        Assert.That(other!.Message, Does.Contain("Attributes"));
    }

    [Test]
    public async Task What_needs_a_collection_that_does_not_exist_is_an_error_of_the_store()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>("books");
        VectorStoreException?[] errors =
        [
            await Assert.ThrowsAsync<VectorStoreException>(() => books.GetAsync("1")),
            await Assert.ThrowsAsync<VectorStoreException>(() => books.UpsertAsync(Book.Of(1))),
            await Assert.ThrowsAsync<VectorStoreException>(() => books.DeleteAsync("1")),
            await Assert.ThrowsAsync<VectorStoreException>(async () => await books.SearchAsync(new float[4], 1).ToListAsync()),
            await Assert.ThrowsAsync<VectorStoreException>(async () => await books.GetAsync(book => book.Draft, 1).ToListAsync()),
        ];
        Assert.That(errors.Select(error => error!.InnerException), Is.All.InstanceOf<IndexNotFoundException>());
        Assert.That(errors.Select(error => error!.CollectionName), Is.All.EqualTo("books"));
        Assert.That(errors.Select(error => error!.VectorStoreSystemName), Is.All.EqualTo("vectorpipe"));
        Assert.That(errors.Select(error => error!.OperationName), Is.EqualTo(new[] { "Get", "Upsert", "Delete", "Search", "Get" }));
        Assert.That(Directory.EnumerateFileSystemEntries(_directory.Path), Is.Empty);
    }

    [Test]
    public async Task Services_are_the_metadata_the_objects_themselves_and_the_collection_below()
    {
        using VectorPipeVectorStore store = _directory.Open();
        VectorStoreCollection<string, Book> books = store.GetCollection<string, Book>("books");
        Assert.That(books.GetService(typeof(VectorCollection<string>)), Is.Null, "not open yet");
        await books.EnsureCollectionExistsAsync();
        Assert.That(store.GetService(typeof(VectorStoreMetadata)), Has.Property("VectorStoreSystemName").EqualTo("vectorpipe"));
        Assert.That(store.GetService(typeof(VectorStore)), Is.SameAs(store));
        Assert.That(store.GetService(typeof(VectorStore), "key"), Is.Null);
        Assert.That(books.GetService(typeof(VectorStoreCollectionMetadata)), Has.Property("CollectionName").EqualTo("books"));
        Assert.That(books.GetService(typeof(IVectorSearchable<Book>)), Is.SameAs(books));
        Assert.That(books.GetService(typeof(VectorCollection<string>)), Has.Property("Count").EqualTo(0));
        Assert.That(books.GetService(typeof(string)), Is.Null);
    }

    [Test]
    public void Records_that_a_collection_cannot_store_are_refused_by_name()
    {
        using VectorPipeVectorStore store = _directory.Open();
        Assert.That(() => store.GetDynamicCollection("x", Definitions.Of(typeof(double))), Throws.Exception.With.Message.Contains("Id"));
        Assert.That(
            () => store.GetDynamicCollection("x", Definitions.Of(typeof(int), data: typeof(decimal))),
            Throws.Exception.With.Message.Contains("Value"));
        Assert.That(
            () => store.GetDynamicCollection("x", Definitions.Of(typeof(int), vector: typeof(double[]))),
            Throws.Exception.With.Message.Contains("Vector"));
        Assert.That(
            () => store.GetDynamicCollection("x", Definitions.Of(typeof(int), function: DistanceFunction.HammingDistance)),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains("HammingDistance"));
        Assert.That(
            () => store.GetDynamicCollection("x", Definitions.Of(typeof(int), kind: Microsoft.Extensions.VectorData.IndexKind.IvfFlat)),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains("IvfFlat"));
        Assert.That(() => store.GetCollection<object, Dictionary<string, object?>>("x"), Throws.ArgumentException);
        Assert.That(() => store.GetCollection<string, Book>(" "), Throws.ArgumentException);
    }
}
