using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace VectorPipe.Tests.Api;

/// <summary>Listens to the operations of one store.</summary>
internal sealed class Heard : IDisposable
{
    private readonly MeterListener _meters = new();
    private readonly ActivityListener _activities;
    private readonly ConcurrentQueue<(string Instrument, double Value, Dictionary<string, object?> Tags)> _values = new();

    public Heard(string name)
    {
        Name = name;
        _meters.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == VectorPipeTelemetry.MeterName)
                listener.EnableMeasurementEvents(instrument);
        };
        _meters.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Take(instrument, value, tags));
        _meters.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Take(instrument, value, tags));
        _meters.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Take(instrument, value, tags));
        _meters.Start();
        _activities = new ActivityListener
        {
            ShouldListenTo = source => source.Name == VectorPipeTelemetry.ActivitySourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.GetTagItem("db.collection.name") as string == name)
                    Activities.Enqueue(activity);
            },
        };
        ActivitySource.AddActivityListener(_activities);
    }

    public string Name { get; }

    public ConcurrentQueue<Activity> Activities { get; } = new();

    public void Observe() => _meters.RecordObservableInstruments();

    public void Clear() => _values.Clear();

    public List<double> Of(string instrument, string? tag = null, object? value = null) =>
        [.. _values.Where(entry => entry.Instrument == instrument && (tag is null || Equals(entry.Tags.GetValueOrDefault(tag), value)))
            .Select(entry => entry.Value)];

    public void Dispose()
    {
        _meters.Dispose();
        _activities.Dispose();
    }

    private void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var named = new Dictionary<string, object?>();
        foreach ((string key, object? of) in tags)
            named[key] = of;
        if (named.GetValueOrDefault("db.collection.name") as string == Name)
            _values.Enqueue((instrument.Name, value, named));
    }
}
