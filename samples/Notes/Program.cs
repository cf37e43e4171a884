using System.Text;
using VectorPipe;

// A collection of notes: written, searched by meaning, changed, opened again. Run it twice: the notes are still there.
string directory = args.Length > 0 ? args[0] : Path.Combine(Path.GetTempPath(), "vectorpipe-notes");
var schema = new CollectionSchema
{
    Dimension = Embedding.Dimension,
    Attributes = [new("topic", AttributeType.String), new("written", AttributeType.DateTimeOffset)],
};

await using VectorCollection<string> notes = await VectorCollection<string>.OpenAsync(directory, schema);
Console.WriteLine($"{directory} holds {notes.Count} notes.");

// Each await ends when the note is on disk; from then on every search finds it.
await WriteAsync("soup", "kitchen", "Cook onions and carrots slowly, then add stock for the soup.");
await WriteAsync("bread", "kitchen", "Bread needs flour, water, salt and a night of patience.");
await WriteAsync("tyres", "garage", "Change the tyres of the car before the first snow.");
await WriteAsync("oil", "garage", "The car needs oil of the right grade.");

await SearchAsync("how do I cook soup");
await SearchAsync("winter tyres for my car");

await SearchAsync("what do I need", Filter.Equal("topic", "kitchen"));

await notes.DeleteAsync("tyres");
Console.WriteLine("Deleted the note on tyres.");
await SearchAsync("winter tyres for my car");

CollectionRecord<string>? bread = await notes.GetAsync("bread");
Console.WriteLine($"bread: {Encoding.UTF8.GetString(bread!.Payload.Span)}");

async Task WriteAsync(string key, string topic, string text)
{
    var attributes = new AttributeSet { ["topic"] = topic, ["written"] = DateTimeOffset.UtcNow };
    await notes.UpsertAsync(key, Embedding.Of(text), attributes, Encoding.UTF8.GetBytes(text));
}

async Task SearchAsync(string question, Filter? filter = null)
{
    Console.WriteLine($"\n{question}? {filter}");
    CollectionResult<string> hits = await notes.SearchAsync(
        Embedding.Of(question), k: 2, include: Include.Attributes | Include.Payload, filter: filter);
    foreach (CollectionHit<string> hit in hits)
        Console.WriteLine($"  {hit.Score:F2}  {hit.Key,-6} {hit.Attributes!["topic"],-8} {Encoding.UTF8.GetString(hit.Payload.Span)}");
}
