// A web service that answers questions with the passages that are nearest to them, of the years that are asked for.
//   dotnet run -c Release --project samples/AspNetCoreRag
//   curl 'http://localhost:5000/ask?question=who+hunts+the+whale&since=1850'
// Metrics and traces go to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, http://localhost:4317 unless it is set.
using AspNetCoreRag;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.VectorData;
using OpenTelemetry;
using VectorPipe;
using VectorPipe.Extensions.Hosting;
using VectorPipe.Extensions.VectorData;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
string directory = builder.Configuration["data"] ?? Path.Combine(Path.GetTempPath(), "vectorpipe-rag");

// Put the generator of a model here: those of Microsoft.Extensions.AI fit. This one counts words, and needs no network.
builder.Services.AddSingleton<IEmbeddingGenerator<string, Embedding<float>>, WordCounts>();
builder.Services.AddSingleton<VectorStore>(services => new VectorPipeVectorStore(
    directory, new() { EmbeddingGenerator = services.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>() }));
builder.Services.AddSingleton(services => services.GetRequiredService<VectorStore>().GetCollection<int, Passage>("passages"));
builder.Services.AddHealthChecks().AddVectorCollection("passages", services =>
    (services.GetRequiredService<VectorStoreCollection<int, Passage>>().GetService(typeof(VectorCollection<int>)) as VectorCollection<int>)
    ?.Status);
builder.Services.AddOpenTelemetry()
    .WithMetrics(metrics => metrics.AddMeter(VectorPipeTelemetry.MeterName))
    .WithTracing(tracing => tracing.AddSource("Microsoft.AspNetCore", VectorPipeTelemetry.ActivitySourceName))
    .UseOtlpExporter();
WebApplication app = builder.Build();

VectorStoreCollection<int, Passage> passages = app.Services.GetRequiredService<VectorStoreCollection<int, Passage>>();
await passages.EnsureCollectionExistsAsync();
await passages.UpsertAsync(Books.Summaries());

app.MapGet("/ask", (string question, int? since, VectorStoreCollection<int, Passage> collection, CancellationToken aborted) =>
{
    int year = since ?? 0;
    return collection
        .SearchAsync(question, top: 3, new() { Filter = passage => passage.Year >= year }, aborted)
        .Select(hit => new { hit.Score, hit.Record.Source, hit.Record.Year, Passage = hit.Record.Text });
});
app.MapPut("/passages/{id}", async (int id, NewPassage passage, VectorStoreCollection<int, Passage> collection) =>
    await collection.UpsertAsync(new Passage { Id = id, Source = passage.Source, Year = passage.Year, Text = passage.Text }));
app.MapDelete("/passages/{id}", async (int id, VectorStoreCollection<int, Passage> collection) => await collection.DeleteAsync(id));
app.MapHealthChecks("/health");
await app.RunAsync();
