using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>A service that asks for the collection in its constructor.</summary>
internal sealed class Indexer([FromKeyedServices("books")] VectorCollection<string> books) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken) =>
        books.UpsertAsync("made", new float[] { 1, 2 }, cancellationToken: cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
