using VectorPipe;
using VectorPipe.Extensions.Hosting;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddVectorCollection<string>("books", settings =>
{
    settings.Directory = builder.Configuration["data"] ?? "data/books";
    settings.Dimension = 4;
    settings.Attributes["title"] = AttributeType.String;
    settings.Attributes["year"] = AttributeType.Int64;
});
builder.Services.AddHealthChecks().AddVectorCollections();
builder.Services.ConfigureHttpJsonOptions(json =>
{
    json.SerializerOptions.RespectRequiredConstructorParameters = true;
    json.SerializerOptions.RespectNullableAnnotations = true;
});
builder.Services.AddProblemDetails();
WebApplication app = builder.Build();
app.UseExceptionHandler(new ExceptionHandlerOptions
{
    StatusCodeSelector = error => error switch
    {
        InvalidVectorException or InvalidRecordException => StatusCodes.Status400BadRequest,
        BadHttpRequestException bad => bad.StatusCode,
        SearchOverloadedException => StatusCodes.Status503ServiceUnavailable,
        _ => StatusCodes.Status500InternalServerError,
    },
});

app.MapPut("/books/{key}", (string key, Book book, [FromKeyedServices("books")] VectorCollection<string> books) =>
    books.UpsertAsync(key, book.Vector, new AttributeSet { ["title"] = book.Title, ["year"] = book.Year }));

app.MapPost("/search", async (Question question, [FromKeyedServices("books")] VectorCollection<string> books, CancellationToken aborted) =>
{
    Filter? filter = question.Since is { } year ? Filter.GreaterThanOrEqual("year", year) : null;
    CollectionResult<string> hits = await books.SearchAsync(
        question.Vector, k: 3, include: Include.Attributes, filter: filter, cancellationToken: aborted);
    return hits.Select(hit => new { hit.Key, hit.Score, Title = hit.Attributes!["title"].AsString() });
});
app.MapHealthChecks("/health");
await app.RunAsync();

internal sealed record Book(string Title, int Year, float[] Vector);

internal sealed record Question(float[] Vector, int? Since = null);
