using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>Collections of a host belong to tenants of its engine, as configuration names them.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class HostedTenantTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-tenant-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Test]
    public async Task A_collection_counts_against_the_tenant_that_it_names_and_the_engine_against_all()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new()
        {
            ["VectorPipe:MemoryLimitBytes"] = "50000000",
            ["VectorPipe:Tenants:acme:MaxQueuedQueries"] = "100",
            ["VectorPipe:Tenants:acme:MemoryLimitBytes"] = "1",
            ["VectorPipe:Tenants:other:MaxQueuedQueries"] = "5",
            ["Books:Directory"] = Path.Combine(_directory, "books"),
            ["Books:Dimension"] = "2",
            ["Books:Tenant"] = "acme",
        });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<int>("books", builder.Configuration.GetSection("Books"))
            .AddCollection<int>("songs", settings => Fill(settings, "songs", "other"))
            .AddCollection<int>("films", settings => Fill(settings, "films", tenant: null));
        VectorPipeEngine engine;
        using (IHost host = builder.Build())
        {
            await host.StartAsync();
            engine = host.Services.GetRequiredService<VectorPipeEngine>();
            foreach (string name in new[] { "songs", "films" })
            {
                VectorCollection<int> collection = host.Services.GetRequiredKeyedService<VectorCollection<int>>(name);
                await collection.UpsertAsync(1, new float[] { 1, 2 });
                await collection.CompactAsync();
            }

            Assert.That(engine.OpenIndexes, Is.EqualTo(2), "the engine counts the index of a tenant");
            VectorCollection<int> books = host.Services.GetRequiredKeyedService<VectorCollection<int>>("books");
            await books.UpsertAsync(1, new float[] { 1, 2 });
            await Assert.ThatAsync(
                async () => await books.CompactAsync(),
                Throws.TypeOf<MemoryLimitException>().With.Message.Contains("the 1 bytes of the tenant \"acme\""));
            Assert.That(engine.OpenIndexes, Is.EqualTo(2));

            // The host is not stopped: the container closes the collections before their tenants, and those before the engine.
        }

        Assert.That(engine.OpenIndexes, Is.Zero);
        Assert.That(() => engine.CreateTenant(), Throws.TypeOf<ObjectDisposedException>());
    }

    [TestCase("MaxQueuedQueries", "0", "1 to 1,000,000")]
    [TestCase("MaxQueuedQueries", "1000001", "1 to 1,000,000")]
    [TestCase("MemoryLimitBytes", "0", "1 or more")]
    public async Task A_wrong_limit_of_a_tenant_stops_the_start_with_its_name(string setting, string value, string expected)
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new() { [$"VectorPipe:Tenants:acme:{setting}"] = value });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<int>("songs", settings => Fill(settings, "songs", "acme"));
        using IHost host = builder.Build();
        await Assert.ThatAsync(
            async () => await host.StartAsync(),
            Throws.TypeOf<OptionsValidationException>().With.Message.StartsWith($"Engine, Tenants:acme:{setting}: expected {expected}")
                .And.Message.EndsWith($"found {value}."));
        Assert.That(Directory.EnumerateFileSystemEntries(_directory), Is.Empty);
    }

    [Test]
    public async Task A_name_of_no_tenant_stops_the_start_beside_all_else_that_is_wrong()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new()
        {
            ["VectorPipe:Tenants:acme:MaxQueuedQueries"] = "10",
            ["VectorPipe:Tenants:Other:MaxQueuedQueries"] = "10",
        });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<int>("songs", settings =>
            {
                Fill(settings, "songs", "Acme");
                settings.Dimension = 0;
            });
        using IHost host = builder.Build();
        await Assert.ThatAsync(
            async () => await host.StartAsync(),
            Throws.TypeOf<OptionsValidationException>().With.Message
                .Contains("Collection \"songs\", Tenant: expected a tenant of the engine, Other, acme, found \"Acme\".")
                .And.Message.Contains("Collection \"songs\", Dimension: expected 1 to 32,768, found 0."));
    }

    [Test]
    public async Task Without_tenants_none_is_named()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder([]);
        builder.Services.AddVectorCollection<int>("songs", settings => Fill(settings, "songs", "acme"));
        using IHost host = builder.Build();
        await Assert.ThatAsync(
            async () => await host.StartAsync(),
            Throws.TypeOf<OptionsValidationException>().With.Message
                .EqualTo("Collection \"songs\", Tenant: expected none, as the engine has no tenants, found \"acme\"."));
    }

    private void Fill(VectorCollectionSettings settings, string name, string? tenant)
    {
        settings.Directory = Path.Combine(_directory, name);
        settings.Dimension = 2;
        settings.Tenant = tenant;
    }
}
