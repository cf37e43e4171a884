using System.Diagnostics;
using System.Diagnostics.Metrics;
using BenchmarkDotNet.Attributes;

namespace VectorPipe.Micro;

/// <summary>Searches of a collection that nobody listens to, and with listeners of all metrics and of spans.</summary>
[MemoryDiagnoser]
[MinColumn]
public class TelemetryBenchmarks : IDisposable
{
    private const int K = 10;

    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-micro-").FullName;
    private readonly float[] _query = ResidentRecords.Vector(-1);
    private VectorCollection<int> _collection = null!;
    private MeterListener? _meters;
    private ActivityListener? _activities;

    /// <summary>Records; all are scored.</summary>
    [Params(32, 4000)]
    public int Count { get; set; }

    /// <summary>What the listeners heard.</summary>
    public double Sum { get; private set; }

    [GlobalSetup(Target = nameof(Unlistened))]
    public async Task FillAsync()
    {
        var schema = new CollectionSchema { Dimension = ResidentRecords.Dimension };
        _collection = await VectorCollection<int>.OpenAsync(_directory, schema, ResidentRecords.Options);
        for (int row = 0; row < Count; row++)
            await _collection.UpsertAsync(row, ResidentRecords.Vector(row));
    }

    [GlobalSetup(Target = nameof(Metrics))]
    public async Task FillAndMeasureAsync()
    {
        await FillAsync();
        _meters = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == VectorPipeTelemetry.MeterName)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        _meters.SetMeasurementEventCallback<int>((_, value, _, _) => Sum += value);
        _meters.SetMeasurementEventCallback<long>((_, value, _, _) => Sum += value);
        _meters.SetMeasurementEventCallback<double>((_, value, _, _) => Sum += value);
        _meters.Start();
    }

    [GlobalSetup(Target = nameof(MetricsAndSpans))]
    public async Task FillAndTraceAsync()
    {
        await FillAndMeasureAsync();
        _activities = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == VectorPipeTelemetry.ActivitySourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity => Sum += activity.Duration.Ticks,
        };
        ActivitySource.AddActivityListener(_activities);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _meters?.Dispose();
        _activities?.Dispose();
        _collection.Dispose();
        Directory.Delete(_directory, recursive: true);
        GC.SuppressFinalize(this);
    }

    [Benchmark(Baseline = true)]
    public Task<CollectionResult<int>> Unlistened() => SearchAsync();

    [Benchmark]
    public Task<CollectionResult<int>> Metrics() => SearchAsync();

    [Benchmark]
    public Task<CollectionResult<int>> MetricsAndSpans() => SearchAsync();

    private Task<CollectionResult<int>> SearchAsync() => _collection.SearchAsync<float>(_query.AsMemory(), K);
}
