using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>The collections of a host share one engine, as configuration sets it up.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class HostedEngineTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-engine-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Test]
    public async Task Collections_share_one_engine_with_the_settings_of_configuration_which_ends_after_them()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new()
        {
            ["VectorPipe:SearchThreads"] = "3",
            ["VectorPipe:DeviceKind"] = "portable",
            ["VectorPipe:MaxQueuedQueries"] = "77",
            ["VectorPipe:MemoryLimitBytes"] = "50000000",
            ["Books:Directory"] = Path.Combine(_directory, "books"),
            ["Books:Dimension"] = "2",
        });
        VectorPipeBuilder added = builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<string>("books", builder.Configuration.GetSection("Books"))
            .AddCollection<int>("songs", settings => Fill(settings, "songs"));
        Assert.That(added.Services, Is.SameAs(builder.Services));
        VectorPipeEngine engine;
        using (IHost host = builder.Build())
        {
            await host.StartAsync();
            engine = host.Services.GetRequiredService<VectorPipeEngine>();
            Assert.That(
                engine.Options,
                Is.EqualTo(new VectorPipeEngineOptions
                {
                    SearchThreads = 3,
                    DeviceKind = DeviceKind.Portable,
                    MaxQueuedQueries = 77,
                    MemoryLimitBytes = 50_000_000,
                }));
            Assert.That(host.Services.GetServices<VectorPipeEngine>().Count(), Is.EqualTo(1));
            VectorCollection<string> books = host.Services.GetRequiredKeyedService<VectorCollection<string>>("books");
            VectorCollection<int> songs = host.Services.GetRequiredKeyedService<VectorCollection<int>>("songs");
            await books.UpsertAsync("key", new float[] { 1, 2 });
            await books.CompactAsync();
            await songs.UpsertAsync(1, new float[] { 1, 2 });
            await songs.CompactAsync();
            Assert.That(engine.OpenIndexes, Is.EqualTo(2), "both collections read through the engine");
            Assert.That(books.Status.DeviceName, Is.EqualTo("portable"));

            // The host is not stopped: the container closes the collections before the engine, which refuses to end while one is open.
        }

        Assert.That(engine.OpenIndexes, Is.Zero);
        Assert.That(
            async () => await VectorCollection<string>.OpenAsync(
                Path.Combine(_directory, "books"), new CollectionOptions { Open = new OpenOptions { Engine = engine } }),
            Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task The_configuration_of_the_page_opens_its_collection()
    {
        string block = Repository.BlocksOf("src/VectorPipe.Extensions.Hosting/README.md", "json").Single();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        using var stream = new MemoryStream(System.Text.Encoding.UTF8.GetBytes(block));
        builder.Configuration.AddJsonStream(stream);
        string directory = Path.Combine(_directory, builder.Configuration["Books:Directory"]!);
        builder.Configuration.AddInMemoryCollection([new("Books:Directory", directory)]);
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<string>("books", builder.Configuration.GetSection("Books"));
        using IHost host = builder.Build();
        await host.StartAsync();
        VectorPipeEngineOptions engine = host.Services.GetRequiredService<VectorPipeEngine>().Options;
        Assert.That((engine.SearchThreads, engine.MemoryLimitBytes), Is.EqualTo((4, 2L << 30)));
        CollectionSchema schema = host.Services.GetRequiredKeyedService<VectorCollection<string>>("books").Schema;
        Assert.That((schema.Dimension, schema.Metric), Is.EqualTo((384, DistanceMetric.Cosine)));
        Assert.That(
            schema.Attributes.Select(attribute => (attribute.Name, attribute.Type)),
            Is.EquivalentTo(new[] { ("year", AttributeType.Int64), ("tags", AttributeType.StringSet) }));
        await host.StopAsync();
    }

    [Test]
    public async Task Code_sets_on_top_of_configuration_in_any_order_with_the_collections()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new() { ["VectorPipe:SearchThreads"] = "3" });
        builder.Services.AddVectorCollection<int>("songs", settings => Fill(settings, "songs"));
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"));
        builder.Services.AddVectorPipe(settings => settings.MaxQueuedQueries = 5);
        using IHost host = builder.Build();
        await host.StartAsync();
        Assert.That(
            host.Services.GetServices<VectorPipeEngine>().Select(engine => engine.Options),
            Is.EqualTo(new[] { new VectorPipeEngineOptions { SearchThreads = 3, MaxQueuedQueries = 5 } }));
        await host.StopAsync();
    }

    [TestCase("SearchThreads", "0", "1 to 1,024")]
    [TestCase("SearchThreads", "1025", "1 to 1,024")]
    [TestCase("MaxQueuedQueries", "0", "1 to 1,000,000")]
    [TestCase("MaxQueuedQueries", "1000001", "1 to 1,000,000")]
    [TestCase("MemoryLimitBytes", "0", "1 or more")]
    [TestCase("DeviceKind", "99", "Auto, Uring, Portable, Memory")]
    public void A_wrong_setting_of_the_engine_stops_the_start_with_its_name(string setting, string value, string expected)
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new() { [$"VectorPipe:{setting}"] = value });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"))
            .AddCollection<int>("songs", settings => Fill(settings, "songs"));
        using IHost host = builder.Build();
        Assert.That(
            async () => await host.StartAsync(),
            Throws.TypeOf<OptionsValidationException>().With.Message.StartsWith($"Engine, {setting}: expected {expected}")
                .And.Message.EndsWith($"found {value}."));
        Assert.That(Directory.EnumerateFileSystemEntries(_directory), Is.Empty);

        // The engine itself refuses the same: the two checks agree on where a range ends.
        var settings = new VectorPipeEngineSettings();
        builder.Configuration.GetSection("VectorPipe").Bind(settings);
        Assert.That(() => new VectorPipeEngine(settings.ToOptions()), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [TestCase("SearchThreads", "1024")]
    [TestCase("MaxQueuedQueries", "1000000")]
    [TestCase("MemoryLimitBytes", "1")]
    [TestCase("DeviceKind", "Memory")]
    public async Task The_ends_of_the_ranges_are_valid(string setting, string value)
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new() { [$"VectorPipe:{setting}"] = value });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"));
        using IHost host = builder.Build();
        await host.StartAsync();
        Assert.That(host.Services.GetRequiredService<VectorPipeEngine>().Options, Is.Not.EqualTo(new VectorPipeEngineOptions()));
        await host.StopAsync();
    }

    [Test]
    public void A_setting_that_is_no_number_is_refused_with_its_place_and_text()
    {
        HostApplicationBuilder builder = ConfiguredHost.Builder(new() { ["VectorPipe:SearchThreads"] = "many" });
        builder.Services.AddVectorPipe(builder.Configuration.GetSection("VectorPipe"));
        using IHost host = builder.Build();
        Assert.That(
            async () => await host.StartAsync(),
            Throws.InstanceOf<InvalidOperationException>().With.Message.Contains("VectorPipe:SearchThreads").And.Message.Contains("many"));
    }

    private void Fill(VectorCollectionSettings settings, string name)
    {
        settings.Directory = Path.Combine(_directory, name);
        settings.Dimension = 2;
    }
}
