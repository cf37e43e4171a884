using Microsoft.Extensions.VectorData;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>What a search through the store allocates beyond the same search of its collection.</summary>
[NonParallelizable]
internal sealed class AllocationTests
{
    private const int Count = 32;
    private const int Dimension = 128;
    private const int K = 10;
    private const int Searches = 200;

    // Windows in which the runtime has not made better code of all methods are the first ones.
    private const int WarmUps = 20;
    private const long MostBytes = 500;

    // A record of a key, a text and a vector, and the result around it: what callers get, however they get it.
    private const long BytesOfHit = 88;

    [Test]
    public async Task A_search_through_the_store_allocates_little_beyond_that_of_its_collection()
    {
        Allocations.SkipInDebug();
        using var directory = new StoreDirectory();
        using VectorPipeVectorStore store = directory.Open();
        using VectorStoreCollection<int, Note> notes = store.GetCollection<int, Note>("notes");
        await notes.EnsureCollectionExistsAsync();
        await notes.UpsertAsync(Enumerable.Range(0, Count).Select(i => new Note { Key = i, Text = $"note {i}", Vector = VectorOf(i) }));
        var collection = (VectorCollection<int>)notes.GetService(typeof(VectorCollection<int>))!;
        float[] query = VectorOf(Count);
        var hits = new CollectionHitBuffer<int>();

        long ofStore = await BytesOfAsync(async () =>
        {
            int found = 0;
            await foreach (VectorSearchResult<Note> hit in notes.SearchAsync(query, K))
                found += hit.Record.Text.Length > 0 ? 1 : 0;
            return found;
        });
        long ofCollection = await BytesOfAsync(async () =>
            (await collection.SearchAsync<float>(query, K, include: Include.Attributes | Include.Payload))
                .Count(hit => hit.Attributes!["Text"].AsString().Length > 0));
        long ofBuffer = await BytesOfAsync(async () =>
        {
            await collection.SearchAsync<float>(query, hits, K, include: Include.Attributes | Include.Payload);
            int found = 0;
            for (int i = 0; i < hits.Count; i++)
                found += hits.AttributesOf(i)!["Text"].AsString().Length > 0 ? 1 : 0;
            return found;
        });

        TestContext.Out.WriteLine($"store {ofStore:N0}, collection {ofCollection:N0}, into a buffer {ofBuffer:N0} bytes a search");
        Assert.That(ofStore - ofCollection, Is.LessThanOrEqualTo(MostBytes), "bytes a search beyond that of the collection");
        Assert.That(
            ofStore - ofBuffer - (K * BytesOfHit), Is.LessThanOrEqualTo(MostBytes),
            "bytes a search beyond that of the collection into a buffer, without what the caller gets");
    }

    private static async Task<long> BytesOfAsync(Func<Task<int>> search)
    {
        async Task SearchManyAsync()
        {
            for (int i = 0; i < Searches; i++)
            {
                if (await search() != K)
                    throw new InvalidOperationException("Expected all hits.");
            }
        }

        for (int i = 0; i < WarmUps; i++)
            await SearchManyAsync();
        return await Allocations.OfProcessAsync(SearchManyAsync, 0) / Searches;
    }

    private static float[] VectorOf(int seed)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle())];
    }

    public sealed class Note
    {
        [VectorStoreKey]
        public int Key { get; set; }

        [VectorStoreData(IsIndexed = true)]
        public string Text { get; set; } = "";

        [VectorStoreVector(Dimension)]
        public ReadOnlyMemory<float> Vector { get; set; }
    }
}
