using System.Runtime.InteropServices;
using System.Text.Json;
using VectorPipe;
using VectorPipe.Formats;

// Imports embeddings that numpy saved, and a line of JSON for each of them, into a collection; then searches it with a filter.
//   dotnet run -c Release --project samples/ImportFromNumpy -- COLLECTION EMBEDDINGS.npy TITLES.jsonl
// The array is two-dimensional and of float32: np.save("embeddings.npy", np.ascontiguousarray(embeddings, dtype="<f4"))
string directory = args.Length > 0 ? args[0] : Path.Combine(Path.GetTempPath(), "vectorpipe-numpy");
(string embeddings, string titles) = args.Length > 2 ? (args[1], args[2]) : await MakeAsync(directory);

await using VectorFileReader reader = await VectorFileReader.OpenAsync(embeddings);
if (reader.ElementType != VectorElementType.Float32)
    throw new InvalidDataException($"{embeddings}: expected float32, found {reader.ElementType}.");
AttributeDefinition[] attributes = [new("title", AttributeType.String), new("year", AttributeType.Int64)];
var schema = new CollectionSchema { Dimension = reader.Dimension, Attributes = attributes };
await using VectorCollection<long> books = await VectorCollection<long>.OpenAsync(directory, schema);

// A MiB of vectors at a time, which is acknowledged when it is on disk. Keys are row numbers: importing again replaces.
byte[] rows = new byte[Math.Max(1, (1 << 20) / reader.RowBytes) * reader.RowBytes];
using StreamReader lines = File.OpenText(titles);
WriteBatch<long> batch = books.CreateBatch();
long row = 0;
while (await reader.ReadAsync(rows) is var read and > 0)
{
    for (int i = 0; i < read; i++, row++)
    {
        string line = await lines.ReadLineAsync()
            ?? throw new InvalidDataException($"{titles}: expected a line for each of {reader.Count} vectors, found {row} lines.");
        Book book = JsonSerializer.Deserialize<Book>(line, JsonSerializerOptions.Web)!;
        ReadOnlySpan<float> vector = MemoryMarshal.Cast<byte, float>(rows.AsSpan(i * reader.RowBytes, reader.RowBytes));
        batch.Upsert(row, vector, new AttributeSet { ["title"] = book.Title, ["year"] = book.Year });
    }
    await books.WriteAsync(batch);
    batch.Clear();
    Console.WriteLine($"{row} of {reader.Count} imported");
}
await books.CompactAsync();   // builds the index now rather than in the background
Filter recent = Filter.Parse("year >= 2000");
foreach (CollectionHit<long> hit in (await books.SearchNearAsync(key: 0, k: 5, include: Include.Attributes, filter: recent))!)
    Console.WriteLine($"{hit.Score:F3}  {hit.Attributes!["year"]}  {hit.Attributes["title"]}");

// Two thousand books on five subjects, to have something to import.
static async Task<(string Embeddings, string Titles)> MakeAsync(string prefix)
{
    string[] subjects = ["whales", "bread", "castles", "trains", "chess"];
    var random = new Random(1);
    await using VectorFileWriter vectors = VectorFileWriter.Create(prefix + ".npy", VectorElementType.Float32, dimension: 200);
    await using StreamWriter lines = File.CreateText(prefix + ".jsonl");
    for (int i = 0; i < 2_000; i++)
    {
        float[] vector = [.. Enumerable.Range(0, 200).Select(at => random.NextSingle() + (at % 5 == i % 5 ? 1 : 0))];
        await vectors.WriteAsync(MemoryMarshal.AsBytes(vector.AsSpan()).ToArray());
        await lines.WriteLineAsync(JsonSerializer.Serialize(new Book($"Volume {i} on {subjects[i % 5]}", random.Next(1950, 2025))));
    }
    await vectors.CompleteAsync();
    return (prefix + ".npy", prefix + ".jsonl");
}

internal sealed record Book(string Title, int Year);
