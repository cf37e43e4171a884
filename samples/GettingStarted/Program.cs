using VectorPipe;

// Random numbers stand in for the embeddings of a model: 1,000 vectors of 64 numbers, row after row.
const int Dimension = 64;
var random = new Random(1);
float[] vectors = Enumerable.Range(0, 1_000 * Dimension).Select(_ => random.NextSingle()).ToArray();

await using (VectorSource source = VectorSource.FromMemory(vectors, Dimension))
    await VectorIndex.BuildAsync("first-index", source, new BuildOptions { Metric = DistanceMetric.Cosine });

await using (VectorIndex index = await VectorIndex.OpenAsync("first-index"))
{
    foreach (SearchHit hit in await index.SearchAsync(vectors.AsSpan(0, Dimension), k: 3))
        Console.WriteLine($"{hit.Key,9}  {hit.Score:F3}");
}

var schema = new CollectionSchema
{
    Dimension = Dimension,
    Attributes = [new("title", AttributeType.String), new("year", AttributeType.Int64), new("tags", AttributeType.StringSet)],
};
await using VectorCollection<string> books = await VectorCollection<string>.OpenAsync("first-collection", schema);

WriteBatch<string> batch = books.CreateBatch();
for (int i = 0; i < 1_000; i++)
{
    var attributes = new AttributeSet
    {
        ["title"] = $"Book number {i}",
        ["year"] = 1900 + (i % 125),
        ["tags"] = AttributeValue.StringSet(i % 3 == 0 ? "novel" : "essay", i % 5 == 0 ? "sea" : "land"),
    };
    batch.Upsert($"book-{i}", vectors.AsSpan(i * Dimension, Dimension), attributes);
}

await books.WriteAsync(batch);
Console.WriteLine($"{books.Count} books");

Filter filter = Filter.Parse("year >= 1980 and tags contains 'novel'");
CollectionResult<string> hits = await books.SearchAsync(
    vectors.AsSpan(0, Dimension), k: 3, include: Include.Attributes, filter: filter);
foreach (CollectionHit<string> hit in hits)
    Console.WriteLine($"{hit.Key,9}  {hit.Score:F3}  {hit.Attributes!["title"]}, {hit.Attributes["year"]}");
