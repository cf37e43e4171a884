using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using VectorPipe.Model.Errors;
using VectorPipe.Tasks;

namespace VectorPipe.Diagnostics;

/// <summary>Metrics and traces of operations, by OpenTelemetry's conventions for database clients.</summary>
/// <remarks>
/// Thread-safe. A caller asks <see cref="IsListened"/> first: without a listener nothing is timed or allocated. See docs/telemetry.md.
/// </remarks>
internal static class Telemetry
{
    private const string SystemName = "vectorpipe";

    // Seconds: from a search in memory to a rebuild.
    private static readonly double[] _seconds =
        [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

    private static readonly double[] _longSeconds = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 7200];

    private static readonly string? _version = typeof(Telemetry).Assembly.GetName().Version?.ToString(3);
    private static readonly ActivitySource _source = new(VectorPipeTelemetry.ActivitySourceName, _version);
    private static readonly Meter _meter = new(VectorPipeTelemetry.MeterName, _version);

    private static readonly Histogram<double> _duration =
        Seconds("db.client.operation.duration", "Duration of an operation, from the call to its result.", _seconds);

    private static readonly Histogram<int> _returned =
        _meter.CreateHistogram<int>("db.client.response.returned_rows", "{row}", "Records that an operation brought.");

    private static readonly Histogram<int> _reads =
        _meter.CreateHistogram<int>("vectorpipe.search.reads", "{read}", "Reads of a search from the device.");

    private static readonly Histogram<int> _rounds =
        _meter.CreateHistogram<int>("vectorpipe.search.rounds", "{round}", "Groups of reads of a search, one after another.");

    private static readonly Histogram<double> _queue =
        Seconds("vectorpipe.search.queue.duration", "Time that a search waited for a place in a session.", _seconds);

    private static readonly Counter<long> _deviceReads =
        _meter.CreateCounter<long>("vectorpipe.device.reads", "{read}", "Reads of searches from the device.");

    private static readonly Counter<long> _deviceBytes =
        _meter.CreateCounter<long>("vectorpipe.device.io", "By", "Bytes that searches read from the device.");

    private static readonly Counter<long> _deviceErrors =
        _meter.CreateCounter<long>("vectorpipe.device.errors", "{operation}", "Operations that an error of the device ended.");

    private static readonly Counter<long> _cache =
        _meter.CreateCounter<long>("vectorpipe.cache.requests", "{page}", "Pages that searches found in the cache, or did not.");

    private static readonly Histogram<double> _maintenance =
        Seconds("vectorpipe.maintenance.duration", "Duration of a checkpoint or a rebuild.", _longSeconds);

    // A store that its owner forgot to close is no reason to keep it.
    private static readonly ConcurrentDictionary<WeakReference<IObservedStore>, bool> _stores = new();

    static Telemetry()
    {
        _meter.CreateObservableUpDownCounter(
            "vectorpipe.memory.usage",
            () => Observe(store => store.ObservedMemory.Select(part => (part.Bytes, "vectorpipe.memory.kind", part.Kind))), "By",
            "Memory of open indexes and collections.");
        _meter.CreateObservableUpDownCounter(
            "vectorpipe.collection.vectors",
            () => Observe(store => store.ObservedRecords.Select(part => (part.Count, "vectorpipe.vector.state", part.State))), "{vector}",
            "Vectors of open indexes and collections.");
        _meter.CreateObservableUpDownCounter(
            "vectorpipe.storage.size",
            () => Observe(store => store.ObservedFiles.Select(part => (part.Bytes, "vectorpipe.file.role", part.Role))), "By",
            "Files of open indexes and collections.");
        _meter.CreateObservableUpDownCounter(
            "vectorpipe.search.queued",
            () => Open().Select(Queued), "{query}",
            "Searches and look-ups that wait for a place.");
        _meter.CreateObservableGauge(
            "vectorpipe.search.recall",
            () => Open().SelectMany(store => store.ObservedRecall is { } recall ? [new Measurement<double>(recall, Named(store))]
                : Array.Empty<Measurement<double>>()), "1",
            "Recall that searches with the default target would have found of the queries that came, before they followed them.");
    }

    /// <summary>Whether somebody listens to operations.</summary>
    public static bool IsListened =>
        _duration.Enabled || _returned.Enabled || _reads.Enabled || _rounds.Enabled || _queue.Enabled || _deviceReads.Enabled
        || _deviceBytes.Enabled || _deviceErrors.Enabled || _cache.Enabled || _source.HasListeners();

    /// <summary>The name of a store: that of its directory.</summary>
    public static string NameOf(string directory) => Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(directory)));

    /// <summary>Adds a store to those that are observed; dispose the result when it is closed.</summary>
    public static IDisposable Add(IObservedStore store)
    {
        var reference = new WeakReference<IObservedStore>(store);
        _stores[reference] = true;
        return new Removal(reference);
    }

    /// <summary>Notes an operation that has begun: its duration, its result or its error.</summary>
    /// <param name="task">The operation.</param>
    /// <param name="name">Its name: search, get, count, scan, upsert, delete or write.</param>
    /// <param name="store">Its store.</param>
    /// <param name="costOf">What its result tells.</param>
    /// <param name="batch">Operations in it, if it is a batch.</param>
    /// <param name="aim">What was asked for, if it is a search.</param>
    /// <returns>A task that is awaited once, and that refuses its result before it has ended, as that of an operation without
    /// listeners.</returns>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    public static async ValueTask<TResult> ObserveAsync<TResult>(
        ValueTask<TResult> task, string name, IObservedStore store, Func<TResult, OperationCost> costOf, int? batch = null,
        SearchAim? aim = null)
    {
        long from = Stopwatch.GetTimestamp();
        using Activity? activity = Start(name, store.ObservedName, batch, aim);
        try
        {
            TResult result = await task.ConfigureAwait(false);
            End(activity, name, store, from, costOf(result), error: null);
            return result;
        }
        catch (Exception e)
        {
            End(activity, name, store, from, default, e);
            throw;
        }
    }

    /// <summary>Notes an operation without a result, as <see cref="ObserveAsync{TResult}"/>.</summary>
    public static async Task ObserveAsync(Task task, string name, IObservedStore store, int? batch = null) =>
        await ObserveAsync(Wait(task), name, store, static _ => default, batch).ConfigureAwait(false);

    /// <summary>Notes an operation that brings its records one by one, from the first call to its end, whatever ends it.</summary>
    /// <remarks>The time of the program that takes the records is part of it.</remarks>
    public static async IAsyncEnumerable<T> ObserveRecordsAsync<T>(
        IAsyncEnumerable<T> records, string name, IObservedStore store,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        long from = Stopwatch.GetTimestamp();
        using Activity? activity = Start(name, store.ObservedName, batch: null, aim: null);
        int rows = 0;
        Exception? error = null;
        IAsyncEnumerator<T> reader = records.GetAsyncEnumerator(cancellationToken);
        try
        {
            while (true)
            {
                try
                {
                    if (!await reader.MoveNextAsync().ConfigureAwait(false))
                        break;
                }
                catch (Exception e)
                {
                    error = e;
                    throw;
                }

                if (rows < int.MaxValue)
                    rows++;
                yield return reader.Current;
            }
        }
        finally
        {
            await reader.DisposeAsync().ConfigureAwait(false);
            End(activity, name, store, from, new OperationCost(rows, null), error);
        }
    }

    /// <summary>Notes an operation that was refused before it began. Never true: for the filter of a catch.</summary>
    public static bool Refuse(Exception error, string name, IObservedStore store)
    {
        if (IsListened)
        {
            using Activity? activity = Start(name, store.ObservedName, batch: null, aim: null);
            End(activity, name, store, Stopwatch.GetTimestamp(), default, error);
        }

        return false;
    }

    /// <summary>Notes the end of a checkpoint or a rebuild.</summary>
    /// <param name="kind">checkpoint or rebuild.</param>
    /// <param name="store">The name of its collection.</param>
    /// <param name="from">When it began.</param>
    /// <param name="error">Why it failed; null if it did not.</param>
    public static void Maintained(string kind, string store, long from, Exception? error)
    {
        if (!_maintenance.Enabled)
            return;
        var tags = new TagList { { "vectorpipe.maintenance.kind", kind }, { "db.collection.name", store } };
        if (error is not null)
            tags.Add("error.type", TypeOf(error));
        _maintenance.Record(Stopwatch.GetElapsedTime(from).TotalSeconds, tags);
    }

    private static Histogram<double> Seconds(string name, string description, double[] bounds) => _meter.CreateHistogram(
        name, "s", description, tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = bounds });

    private static async ValueTask<bool> Wait(Task task)
    {
        await task.ConfigureAwait(false);
        return true;
    }

    private static Activity? Start(string name, string store, int? batch, SearchAim? aim)
    {
        if (!_source.HasListeners())
            return null;
        Activity? activity = _source.StartActivity($"{name} {store}", ActivityKind.Client);
        if (activity is { IsAllDataRequested: true })
        {
            activity.SetTag("db.system.name", SystemName).SetTag("db.collection.name", store).SetTag("db.operation.name", name);
            if (batch is not null)
                activity.SetTag("db.operation.batch.size", batch);
            if (aim is { } asked)
                activity.SetTag("vectorpipe.search.k", asked.K).SetTag("vectorpipe.search.target_recall", asked.TargetRecall);
        }

        return activity;
    }

    private static void End(Activity? activity, string name, IObservedStore store, long from, OperationCost cost, Exception? error)
    {
        double seconds = Stopwatch.GetElapsedTime(from).TotalSeconds;
        var tags = new TagList
        {
            { "db.system.name", SystemName }, { "db.collection.name", store.ObservedName }, { "db.operation.name", name },
        };
        if (error is not null)
            tags.Add("error.type", TypeOf(error));
        _duration.Record(seconds, tags);
        if (cost.Rows is { } rows)
            _returned.Record(rows, tags);
        if (cost.Search is { } search)
            Count(search, store);
        if (error is DeviceException fault)
            Count(fault, store);
        if (activity is { IsAllDataRequested: true })
            Describe(activity, cost, error);
    }

    private static void Count(DeviceException fault, IObservedStore store) =>
        _deviceErrors.Add(1, Named(store), DeviceOf(store), new("error.type", TypeOf(fault)));

    private static string? TypeOf(Exception error) =>
        error is DeviceException { ErrorNumber: > 0 and var number } ? Errno.NameOf(number) : error.GetType().FullName;

    private static void Count(in SearchStatistics search, IObservedStore store)
    {
        KeyValuePair<string, object?> tag = Named(store), device = DeviceOf(store);
        _reads.Record(search.Reads, tag);
        _rounds.Record(search.Rounds, tag);
        _queue.Record(search.QueueUs / 1e6, tag);
        _deviceReads.Add(search.Reads, tag, device);
        _deviceBytes.Add(search.BytesRead, tag, device);
        _cache.Add(search.CacheHits, tag, new KeyValuePair<string, object?>("vectorpipe.cache.result", "hit"));
        _cache.Add(search.PagesRead, tag, new KeyValuePair<string, object?>("vectorpipe.cache.result", "miss"));
    }

    private static void Describe(Activity activity, OperationCost cost, Exception? error)
    {
        if (cost.Rows is { } rows)
            activity.SetTag("db.response.returned_rows", rows);
        if (cost.Search is { } search)
        {
            activity.SetTag("vectorpipe.search.reads", search.Reads).SetTag("vectorpipe.search.rounds", search.Rounds)
                .SetTag("vectorpipe.search.ended_by", $"{search.EndedBy}");
            if (search.Matches is { } matches)
                activity.SetTag("vectorpipe.filter.matches", matches).SetTag("vectorpipe.filter.strategy", $"{search.Strategy}");
        }

        if (error is not null)
            activity.SetStatus(ActivityStatusCode.Error, error.Message).SetTag("error.type", TypeOf(error));
    }

    private static List<Measurement<long>> Observe(Func<IObservedStore, IEnumerable<(long Value, string Tag, string Kind)>> valuesOf)
    {
        var found = new List<Measurement<long>>();
        foreach (IObservedStore store in Open())
        {
            foreach ((long value, string tag, string kind) in valuesOf(store))
                found.Add(new Measurement<long>(value, Named(store), new(tag, kind)));
        }

        return found;
    }

    private static Measurement<long> Queued(IObservedStore store)
    {
        var kind = new KeyValuePair<string, object?>("vectorpipe.queue.kind", "requests");
        return store.ObservedTenant is { } tenant
            ? new(store.ObservedQueue, Named(store), kind, new KeyValuePair<string, object?>("vectorpipe.tenant.name", tenant))
            : new(store.ObservedQueue, Named(store), kind);
    }

    private static IEnumerable<IObservedStore> Open()
    {
        foreach (WeakReference<IObservedStore> reference in _stores.Keys)
        {
            if (reference.TryGetTarget(out IObservedStore? store))
                yield return store;
            else
                _stores.TryRemove(reference, out _);
        }
    }

    private static KeyValuePair<string, object?> Named(IObservedStore store) => new("db.collection.name", store.ObservedName);

    private static KeyValuePair<string, object?> DeviceOf(IObservedStore store) =>
        new("vectorpipe.device.kind", store.ObservedDevice ?? "none");

    private sealed class Removal(WeakReference<IObservedStore> reference) : IDisposable
    {
        public void Dispose() => _stores.TryRemove(reference, out _);
    }
}
