using Microsoft.Extensions.VectorData;
using VectorPipe.Extensions.VectorData;

namespace PackageConsumer;

/// <summary>Typed records in a store, without reflection: trimming must leave what writing, filters and searches need.</summary>
internal static class Books
{
    private static readonly VectorStoreCollectionDefinition _definition = new()
    {
        Properties =
        [
            new VectorStoreKeyProperty("Isbn", typeof(string)),
            new VectorStoreDataProperty("Year", typeof(int)) { IsIndexed = true },
            new VectorStoreDataProperty("Title", typeof(string)),
            new VectorStoreVectorProperty("Embedding", typeof(ReadOnlyMemory<float>), 4),
        ],
    };

    /// <summary>Title of the book that is found among three; null for none.</summary>
    public static async Task<string?> FindAsync(string directory)
    {
        using var store = new VectorPipeVectorStore(directory);
        VectorStoreCollection<string, Book> books = store.GetConvertedCollection<string, Book>("books", _definition, Book.To, Book.From);
        await books.EnsureCollectionExistsAsync();
        await books.UpsertAsync(
        [
            new("1", 1851, "Moby-Dick", new float[] { 1, 0, 0, 0.2f }),
            new("2", 1952, "The Old Man and the Sea", new float[] { 1, 0, 0, 0 }),
            new("3", 1818, "Frankenstein", new float[] { 0, 1, 0, 0 }),
        ]);
        int before = 1900;
        await foreach (VectorSearchResult<Book> hit in books.SearchAsync(
            new float[] { 1, 0, 0, 0 }, 1, new() { Filter = book => book.Year < before && book.Year > 1800 }))
            return (await books.GetAsync(hit.Record.Isbn))?.Title;
        return null;
    }

    private sealed record Book(string Isbn, int Year, string Title, ReadOnlyMemory<float> Embedding)
    {
        public static Dictionary<string, object?> To(Book book) => new()
        {
            ["Isbn"] = book.Isbn,
            ["Year"] = book.Year,
            ["Title"] = book.Title,
            ["Embedding"] = book.Embedding,
        };

        public static Book From(Dictionary<string, object?> properties) => new(
            (string)properties["Isbn"]!, (int)properties["Year"]!, (string)properties["Title"]!,
            (ReadOnlyMemory<float>?)properties["Embedding"] ?? default);
    }
}
