using VectorPipe;

const int Dimension = 96;
var random = new Random(1);
float[] vectors = Enumerable.Range(0, 2_000 * Dimension).Select(_ => random.NextSingle()).ToArray();

// Build. Keys are row numbers unless you pass your own.
await using (VectorSource source = VectorSource.FromMemory(vectors, Dimension))
    await VectorIndex.BuildAsync("my-index", source, new BuildOptions { Metric = DistanceMetric.Cosine });

// Open once, search from any number of threads. The default aims at a recall of 0.95.
await using VectorIndex index = await VectorIndex.OpenAsync("my-index");
SearchResult result = await index.SearchAsync(vectors.AsSpan(42 * Dimension, Dimension), k: 10);
foreach (SearchHit hit in result)
    Console.WriteLine($"{hit.Key,6}  {hit.Score:F4}");
Console.WriteLine($"{result.Statistics.Reads} reads, {result.Statistics.ElapsedUs:F0} us");

await using var notes = await VectorCollection<string>.OpenAsync("my-notes", new CollectionSchema { Dimension = Dimension });
await notes.UpsertAsync("first", vectors.AsSpan(0, Dimension), payload: "hello"u8);   // acknowledged when it is on disk
CollectionResult<string> near = await notes.SearchAsync(vectors.AsSpan(0, Dimension), k: 10, include: Include.Payload);
await notes.DeleteAsync("first");
