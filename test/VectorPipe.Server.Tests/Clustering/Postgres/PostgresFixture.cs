using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>One PostgreSQL server for all tests here; each has a database of its own.</summary>
[SetUpFixture]
internal sealed class PostgresFixture
{
    public static PostgresServer Server { get; private set; } = null!;

    [OneTimeSetUp]
    public async Task StartAsync() => Server = await PostgresServer.StartAsync();

    [OneTimeTearDown]
    public async Task StopAsync()
    {
        if (Server is not null)
            await Server.DisposeAsync();
        await PostgresServer.DeleteTemplateAsync();
    }
}
