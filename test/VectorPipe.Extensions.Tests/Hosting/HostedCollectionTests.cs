using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>Collections are open while a host runs, and neither before nor after.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class HostedCollectionTests : IDisposable
{
    private static readonly CollectionStatus _status = new()
    {
        Count = 3,
        Waiting = 2,
        WaitingBytes = 100,
        Generation = 1,
        GenerationCount = 3,
        Checkpoints = 0,
        MemoryBytes = 1000,
        Sequence = 5,
        IsRebuilding = true,
        IsReadOnly = false,
    };

    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-host-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Test]
    public async Task A_collection_is_open_when_other_services_start_and_until_they_have_stopped()
    {
        HostApplicationBuilder builder = Builder();

        // The user comes first: its start must find a collection that is open nevertheless.
        builder.Services.AddHostedService<User>();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        using (IHost host = builder.Build())
        {
            await host.StartAsync();
            VectorCollection<string> books = host.Services.GetRequiredKeyedService<VectorCollection<string>>("books");
            Assert.That(books.Count, Is.EqualTo(1));
            Assert.That(books.Schema.Metric, Is.EqualTo(DistanceMetric.L2));
            Assert.That(
                host.Services.GetRequiredService<IOptionsMonitor<VectorCollectionSettings>>().Get("books"),
                Has.Property(nameof(VectorCollectionSettings.FollowQueries)).True);
            Assert.That(
                books.Schema.Attributes,
                Is.EqualTo(new AttributeDefinition[] { new("tags", AttributeType.StringSet), new("year", AttributeType.Int64) }));
            await host.StopAsync();
            Assert.That(() => books.GetAsync("start"), Throws.InstanceOf<ObjectDisposedException>());
        }

        await using VectorCollection<string> again = await VectorCollection<string>.OpenAsync(Path.Combine(_directory, "books"));
        Assert.That(await again.ScanAsync().Select(record => record.Key).ToListAsync(), Is.EquivalentTo(new[] { "start", "stop" }));
    }

    [Test]
    public async Task A_service_gets_the_collection_in_its_constructor()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddHostedService<Indexer>();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        using IHost host = builder.Build();
        await host.StartAsync();
        VectorCollection<string> books = host.Services.GetRequiredKeyedService<VectorCollection<string>>("books");
        Assert.That(await books.GetAsync("made"), Is.Not.Null);
        await host.StopAsync();
        Assert.That(() => books.GetAsync("made"), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task Calls_with_one_name_set_up_one_collection()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        builder.Services.AddVectorCollection<string>("books", settings => settings.CacheBytes = 1 << 20);
        ArgumentException? other = Assert.Throws<ArgumentException>(
            () => builder.Services.AddVectorCollection<int>("books", settings => settings.CacheBytes = 0));
        Assert.That(other!.Message, Does.Contain("String").And.Contain("Int32"));
        using IHost host = builder.Build();
        await host.StartAsync();
        Assert.That(
            host.Services.GetRequiredService<IOptionsMonitor<VectorCollectionSettings>>().Get("books"),
            Has.Property(nameof(VectorCollectionSettings.CacheBytes)).EqualTo(1 << 20).And.Property("Dimension").EqualTo(2));
        await host.Services.GetRequiredKeyedService<VectorCollection<string>>("books").UpsertAsync("key", new float[] { 1, 2 });
        await host.StopAsync();
    }

    [Test]
    public async Task A_scope_does_not_close_the_collection_that_it_uses()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        using IHost host = builder.Build();
        await host.StartAsync();
        for (int i = 0; i < 2; i++)
        {
            await using AsyncServiceScope scope = host.Services.CreateAsyncScope();
            VectorCollection<string> books = scope.ServiceProvider.GetRequiredKeyedService<VectorCollection<string>>("books");
            await books.UpsertAsync("key", new float[] { 1, 2 });
        }

        await host.StopAsync();
    }

    [Test]
    public async Task Collections_of_all_key_and_element_types_stand_side_by_side()
    {
        HostApplicationBuilder builder = Builder();
        foreach (VectorElementType type in Enum.GetValues<VectorElementType>())
        {
            builder.Services.AddVectorCollection<int>($"{type}", settings =>
            {
                settings.Directory = Path.Combine(_directory, $"{type}");
                settings.Dimension = 8;
                settings.ElementType = type;
            });
        }

        await using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        builder.Services.AddSingleton(engine);
        builder.Services.AddVectorCollection<Guid>("guids", settings =>
        {
            settings.Directory = Path.Combine(_directory, "guids");
            settings.Dimension = 2;
        });
        using IHost host = builder.Build();
        await host.StartAsync();
        foreach (VectorElementType type in Enum.GetValues<VectorElementType>())
            Assert.That(host.Services.GetRequiredKeyedService<VectorCollection<int>>($"{type}").Schema.ElementType, Is.EqualTo(type));
        VectorCollection<Guid> guids = host.Services.GetRequiredKeyedService<VectorCollection<Guid>>("guids");
        Assert.That(guids.Count, Is.Zero);
        await guids.UpsertAsync(Guid.NewGuid(), new float[] { 1, 2 });
        await guids.CompactAsync();
        Assert.That(engine.OpenIndexes, Is.EqualTo(1), "the collections use the engine of the program");
        await host.StopAsync();
        Assert.That(engine.OpenIndexes, Is.Zero);
    }

    [Test]
    public void Settings_that_are_wrong_stop_the_start_before_anything_is_made()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddVectorCollection<string>("wrong", settings =>
        {
            settings.CacheBytes = -1;
        });
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        using IHost host = builder.Build();
        Assert.That(
            async () => await host.StartAsync(),
            Throws.TypeOf<OptionsValidationException>().With.Property("Failures").Exactly(3).Contains("\"wrong\""));
        Assert.That(Directory.EnumerateFileSystemEntries(_directory), Is.Empty);
    }

    [Test]
    public async Task A_collection_that_cannot_be_opened_stops_the_start()
    {
        string path = Path.Combine(_directory, "books");
        await using VectorCollection<string> writer = await VectorCollection<string>.OpenAsync(
            path, new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 });
        HostApplicationBuilder builder = Builder();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        using IHost host = builder.Build();
        Assert.That(async () => await host.StartAsync(), Throws.InstanceOf<VectorPipeException>().With.Message.Contains(path));
    }

    [Test]
    public async Task Health_is_that_of_the_worst_collection_and_tells_of_each()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddVectorCollection<string>("books", builder.Configuration.GetSection("Books"));
        builder.Services.AddHealthChecks().AddVectorCollections(tags: ["ready"]);
        using IHost host = builder.Build();
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport report = await health.CheckHealthAsync();
        Assert.That(report.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(report.Entries["vectorpipe"].Description, Is.EqualTo("\"books\" is not open"));
        await host.StartAsync();
        report = await health.CheckHealthAsync();
        Assert.That(report.Status, Is.EqualTo(HealthStatus.Healthy));
        Assert.That(report.Entries["vectorpipe"].Data["books"], Does.StartWith("0 records"));
        Assert.That(report.Entries["vectorpipe"].Tags, Is.EqualTo(new[] { "ready" }));
        await host.StopAsync();
        Assert.That((await health.CheckHealthAsync()).Status, Is.EqualTo(HealthStatus.Unhealthy));
    }

    [Test]
    public async Task Health_of_a_collection_that_the_program_opens_is_checked_too()
    {
        VectorCollection<int>? books = null;
        HostApplicationBuilder builder = Builder();
        builder.Services.AddHealthChecks().AddVectorCollection("books", _ => books?.Status, HealthStatus.Degraded, ["ready"]);
        using IHost host = builder.Build();
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReportEntry closed = (await health.CheckHealthAsync()).Entries["books"];
        Assert.That((closed.Status, closed.Description), Is.EqualTo((HealthStatus.Degraded, "\"books\" is not open")));
        Assert.That(closed.Tags, Is.EqualTo(new[] { "ready" }));
        await using (books = await VectorCollection<int>.OpenAsync(
            Path.Combine(_directory, "own"), new CollectionSchema { Dimension = 2 },
            new CollectionOptions { Open = new OpenOptions { DeviceKind = DeviceKind.Memory } }))
        {
            HealthReportEntry open = (await health.CheckHealthAsync()).Entries["books"];
            Assert.That(open.Status, Is.EqualTo(HealthStatus.Healthy), open.Description);
            Assert.That(open.Data["books"], Does.StartWith("0 records"));
        }

        Assert.Throws<ArgumentException>(() => builder.Services.AddHealthChecks().AddVectorCollection("", _ => null));
    }

    [Test]
    public async Task Errors_of_writing_are_failures_and_those_of_maintenance_degrade()
    {
        CollectionStatus status = _status;
        Assert.That((await CheckAsync(status)).Status, Is.EqualTo(HealthStatus.Healthy));
        HealthCheckResult degraded = await CheckAsync(status, status with { RebuildError = new IOException("no room") });
        Assert.That(degraded.Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(degraded.Description, Does.Contain("no room"));
        Assert.That(
            degraded.Data["0"],
            Is.EqualTo("3 records, 2 writes wait (100 bytes), generation 1, 1000 bytes of memory, maintenance is running"));
        HealthCheckResult slow = await CheckAsync(status with { DeviceName = "portable", DeviceFallback = "EPERM" });
        Assert.That(slow.Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(slow.Description, Does.Contain("without io_uring: EPERM"));
        HealthCheckResult failed = await CheckAsync(
            status with { RebuildError = new IOException("no room") }, status with { WriteError = new IOException("a bad disk") });
        Assert.That(failed.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(failed.Description, Does.Contain("a bad disk").And.Contain("no room"));
        Assert.That(failed.Exception, Is.InstanceOf<IOException>());
    }

    [Test]
    public async Task A_device_that_fails_is_a_failure_unless_it_serves_again_when_it_is_tried()
    {
        CollectionStatus failed = _status with { DeviceError = new DeviceException("the disk is gone") };
        HealthCheckResult result = await CheckAsync(_status, failed);
        Assert.That(result.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(result.Description, Is.EqualTo("\"1\" cannot read: the disk is gone"));
        Assert.That(result.Exception, Is.SameAs(failed.DeviceError));
        Assert.That((await CheckAsync(new Fixed("books", failed) { Tried = _status })).Status, Is.EqualTo(HealthStatus.Healthy));
    }

    [Test]
    public async Task Maintenance_that_is_behind_the_writes_degrades()
    {
        HealthCheckResult result = await CheckAsync(_status with { IsThrottled = true });
        Assert.That(result.Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(result.Description, Is.EqualTo("\"0\" gets writes faster than it takes them in: 2 wait"));
    }

    private static Task<HealthCheckResult> CheckAsync(params CollectionStatus[] states) =>
        CheckAsync([.. states.Select((status, i) => new Fixed($"{i}", status))]);

    private static Task<HealthCheckResult> CheckAsync(params Fixed[] collections)
    {
        var check = new CollectionHealthCheck(collections);
        return check.CheckHealthAsync(new HealthCheckContext
        {
            Registration = new HealthCheckRegistration("x", check, HealthStatus.Unhealthy, null),
        });
    }

    private HostApplicationBuilder Builder() => ConfiguredHost.Builder(new()
    {
        ["Books:Directory"] = Path.Combine(_directory, "books"),
        ["Books:Dimension"] = "2",
        ["Books:Metric"] = "l2",
        ["Books:Attributes:year"] = "Int64",
        ["Books:Attributes:tags"] = "StringSet",
        ["Books:CacheBytes"] = "1048576",
        ["Books:FollowQueries"] = "true",
    });

    private sealed record Fixed(string Name, CollectionStatus? Status) : IHostedCollection
    {
        /// <summary>What the status is once the device was tried; null if it does not change.</summary>
        public CollectionStatus? Tried { get; init; }

        public CollectionStatus? Status { get; private set; } = Status;

        public Task TryAsync(CancellationToken cancellationToken)
        {
            Status = Tried ?? Status;
            return Task.CompletedTask;
        }
    }

    private sealed class User(IServiceProvider provider) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => WriteAsync("start");

        public Task StopAsync(CancellationToken cancellationToken) => WriteAsync("stop");

        private Task WriteAsync(string key) =>
            provider.GetRequiredKeyedService<VectorCollection<string>>("books").UpsertAsync(key, new float[] { 1, 2 });
    }
}
