using Microsoft.Extensions.AI;
using Microsoft.Extensions.VectorData;
using VectorPipe.Extensions.VectorData;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<VectorStore>(_ => new VectorPipeVectorStore(
    builder.Configuration["data"] ?? "data/passages", new() { EmbeddingGenerator = new WordCounts() }));
builder.Services.AddSingleton(services => services.GetRequiredService<VectorStore>().GetCollection<int, Passage>("passages"));
WebApplication app = builder.Build();
// Ten thousand passages stand in for yours.
string[] who = ["captain", "sailor", "student", "count", "boy", "doctor", "widow", "painter", "soldier", "thief"];
string[] does = ["hunts", "finds", "loses", "paints", "buries", "sells", "follows", "fears", "saves", "forgets"];
string[] what = ["whale", "treasure", "letter", "horse", "ship", "sister", "clock", "garden", "secret", "book"];
string[] where = ["sea", "night", "home", "court", "school", "war", "sunrise", "church", "harvest", "work"];
VectorStoreCollection<int, Passage> passages = app.Services.GetRequiredService<VectorStoreCollection<int, Passage>>();
await passages.EnsureCollectionExistsAsync();
if (await passages.GetAsync(9_999) is null)
{
    await passages.UpsertAsync(Enumerable.Range(0, 10_000).Select(i => new Passage
    {
        Id = i,
        Year = 1800 + (i % 7 * 25),
        Text = $"A {who[i / 1000]} {does[i / 100 % 10]} a {what[i / 10 % 10]} at {where[i % 10]}",
    }));
}

app.MapGet("/ask", (string question, int? since, VectorStoreCollection<int, Passage> collection, CancellationToken aborted) =>
    collection.SearchAsync(question, top: 3, new() { Filter = passage => since == null || passage.Year >= since }, aborted)
        .Select(hit => new { hit.Record.Year, hit.Record.Text, Score = Math.Round(hit.Score ?? 0, 2) }));
await app.RunAsync();

internal sealed class Passage
{
    [VectorStoreKey] public int Id { get; set; }
    [VectorStoreData(IsIndexed = true)] public int Year { get; set; }
    [VectorStoreData] public string Text { get; set; } = "";
    [VectorStoreVector(256, DistanceFunction = DistanceFunction.CosineSimilarity)] public string Embedding => Text;
}

// Put the generator of a model in its place. This one counts words, each at two places of a vector.
internal sealed class WordCounts : IEmbeddingGenerator<string, Embedding<float>>
{
    public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values, EmbeddingGenerationOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.FromResult(new GeneratedEmbeddings<Embedding<float>>(values.Select(text => new Embedding<float>(Count(text)))));
    public object? GetService(Type serviceType, object? serviceKey = null) => null;
    public void Dispose() { }

    private static float[] Count(string text)
    {
        float[] vector = [0.001f, .. new float[255]]; // A text without words has a direction, too.
        foreach (string word in text.ToLowerInvariant().Split([' ', '.', ',', '?'], StringSplitOptions.RemoveEmptyEntries))
        {
            uint hash = word.Aggregate(2166136261u, (sum, letter) => (sum ^ letter) * 16777619);
            vector[hash % 256]++;
            vector[hash / 256 % 256]++;
        }
        return vector;
    }
}
