using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>What a host does before it is ready, and what it lets end before it stops.</summary>
[TestFixture]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class HostLifetimeTests : IDisposable
{
    private const int Records = 50;

    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-lifetime-").FullName;

    private string Books => Path.Combine(_directory, "books");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Test]
    public async Task A_collection_has_been_searched_before_other_services_start()
    {
        await FillAsync();
        int searches = 0;
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == VectorPipeTelemetry.MeterName && instrument.Name == "db.client.operation.duration")
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            if (tags.Contains(new("db.collection.name", "books")) && tags.Contains(new("db.operation.name", "search")))
                Interlocked.Increment(ref searches);
        });
        listener.Start();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        var user = new Starting(() => searches);
        builder.Services.AddSingleton<IHostedService>(user);
        builder.Services.AddVectorPipe().AddCollection<int>("books", Set);
        using IHost host = builder.Build();
        await host.StartAsync();
        Assert.That(user.Seen, Is.EqualTo(1), "searches before the first service starts");
        await host.StopAsync();
    }

    [Test]
    public async Task Searches_in_flight_when_the_host_stops_end_with_their_answers_and_later_ones_are_refused()
    {
        await FillAsync();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddVectorPipe(settings => settings.SearchThreads = 1).AddCollection<int>("books", Set);
        using IHost host = builder.Build();
        await host.StartAsync();
        VectorCollection<int> books = host.Services.GetRequiredKeyedService<VectorCollection<int>>("books");

        // The only thread of the engine is held up by an index beside the collection.
        using var gate = new ManualResetEventSlim(initialState: true);
        GatedDevice? device = null;
        string path = Path.Combine(_directory, "index");
        await using (VectorSource source = VectorSource.FromMemory(new float[] { 1, 2, 3, 4 }, dimension: 2))
            await VectorIndex.BuildAsync(path, source, new BuildOptions { Metric = DistanceMetric.L2 });
        await using VectorIndex beside = await VectorIndex.OpenAsync(
            path, new OpenOptions
            {
                Engine = host.Services.GetRequiredService<VectorPipeEngine>(),
                OpenDevice = paths => device = new GatedDevice(DefaultDevice.Open(paths, DeviceKind.Memory), gate),
            });
        Task<SearchResult> holding;
        Task<CollectionResult<int>>[] inFlight;
        Task stop;
        try
        {
            gate.Reset();
            device!.Entered.Reset();
            holding = beside.SearchAsync(new float[] { 1, 2 }, 1).AsTask();
            Assert.That(device.Entered.Wait(HangBound.Patience), Is.True);
            inFlight = [.. Enumerable.Range(0, Records).Select(key => books.SearchAsync(VectorOf(key).AsSpan(), 1))];
            stop = host.StopAsync();
            Assert.That(SpinWait.SpinUntil(() => IsRefused(books), HangBound.Patience), Is.True);
            Assert.That(inFlight.Count(search => search.IsCompleted), Is.Zero);
        }
        finally
        {
            gate.Set();
        }

        await stop;
        CollectionResult<int>[] found = await Task.WhenAll(inFlight);
        Assert.That(found.Select(hits => hits.Single().Key), Is.EqualTo(Enumerable.Range(0, Records)));
        Assert.That((await holding)[0].Score, Is.Zero);
        Assert.That(() => books.SearchAsync(VectorOf(1).AsSpan(), 1), Throws.TypeOf<ObjectDisposedException>());
    }

    private static float[] VectorOf(int key) => [key, 1];

    private static bool IsRefused(VectorCollection<int> books)
    {
        try
        {
            books.OpenSearch(VectorOf(1).AsSpan());
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    // Its records are in an index, which the threads of the engine read.
    private async Task FillAsync()
    {
        await using VectorCollection<int> books = await VectorCollection<int>.OpenAsync(
            Books, new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 });
        for (int key = 0; key < Records; key++)
            await books.UpsertAsync(key, VectorOf(key));
        await books.CompactAsync();
    }

    private void Set(VectorCollectionSettings settings)
    {
        settings.Directory = Books;
        settings.Dimension = 2;
        settings.Metric = DistanceMetric.L2;
    }

    private sealed class Starting(Func<int> searches) : IHostedService
    {
        public int? Seen { get; private set; }

        public Task StartAsync(CancellationToken cancellationToken)
        {
            Seen = searches();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
