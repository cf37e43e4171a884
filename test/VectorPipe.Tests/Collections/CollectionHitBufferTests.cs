using NUnit.Framework;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Collections;

/// <summary>Searches that fill a buffer. <see cref="CollectionModel{TKey}"/> compares their hits with those of others.</summary>
internal sealed class CollectionHitBufferTests
{
    private static readonly CollectionSchema _schema = new() { Dimension = 2, Metric = DistanceMetric.L2 };

    [Test]
    public async Task The_next_search_replaces_the_hits_and_one_that_fails_leaves_none()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await OpenAsync<string>(folder, key => $"key {key}");
        var buffer = new CollectionHitBuffer<string>();
        Assert.That((buffer.Count, buffer.Statistics), Is.EqualTo((0, default(SearchStatistics))));

        await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3);
        Assert.That(buffer.KeyOf(0), Is.EqualTo("key 5"));
        await collection.SearchAsync<float>(new float[] { 1, 7 }, buffer, 2, include: Include.Payload);
        Assert.That((buffer.Count, buffer.KeyOf(0), buffer.PayloadOf(0)[0]), Is.EqualTo((2, "key 7", (byte)7)));
        Assert.That(() => buffer.KeyOf(2), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => buffer.ScoreOf(-1), Throws.TypeOf<ArgumentOutOfRangeException>());

        await Assert.ThatAsync(
            async () => await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 0), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That((buffer.Count, buffer.Statistics), Is.EqualTo((0, default(SearchStatistics))));
        await collection.SearchAsync<float>(new float[] { 1, 6 }, buffer, 1);
        Assert.That((buffer.Count, buffer.KeyOf(0)), Is.EqualTo((1, "key 6")));
    }

    [Test]
    public async Task Only_what_was_included_is_there()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await OpenAsync<int>(folder, key => key);
        var buffer = new CollectionHitBuffer<int>();

        await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3, include: Include.Vector);

        Assert.That(buffer.KeyOf(0), Is.EqualTo(5));
        Assert.That((buffer.VectorOf(0).Length, buffer.PayloadOf(0).Length), Is.EqualTo((2 * sizeof(float), 0)));
        Assert.That(buffer.AttributesOf(0), Is.Null);
        Assert.That(() => buffer.Utf8KeyOf(0).Length, Throws.InvalidOperationException.With.Message.Contains("Int32"));
    }

    [Test]
    public async Task Two_searches_at_once_are_refused_and_the_first_one_goes_on()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await OpenAsync<int>(folder, key => key);
        var buffer = new CollectionHitBuffer<int>();
        buffer.Begin(collection, new byte[2 * sizeof(float)], Include.Key);

        await Assert.ThatAsync(
            async () => await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3), Throws.InvalidOperationException);

        buffer.End(isWhole: true);
        await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3);
        Assert.That(buffer.Count, Is.EqualTo(3));
    }

    [Test]
    public async Task A_result_keeps_its_payloads_whatever_later_searches_find()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await OpenAsync<string>(folder, key => $"key {key}");
        await collection.CompactAsync();

        CollectionResult<string> first = await collection.SearchAsync<float>(new float[] { 1, 5 }, 3, include: Include.Payload);
        await collection.SearchAsync<float>(new float[] { 1, 9 }, 3, include: Include.Payload);
        await collection.SearchAsync<float>(new float[] { 1, 9 }, 3);

        Assert.That(first.Select(hit => $"key {hit.Payload.Span[0]}"), Is.EqualTo(first.Select(hit => hit.Key)));
    }

    [Test]
    public async Task They_are_measured_as_other_searches_are()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await OpenAsync<int>(folder, key => key);
        using var heard = new Heard(Path.GetFileName(folder.Path));
        var buffer = new CollectionHitBuffer<int>();

        await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3);
        await Assert.ThatAsync(
            async () => await collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 0), Throws.TypeOf<ArgumentOutOfRangeException>());

        Assert.That(heard.Of("db.client.operation.duration", "db.operation.name", "search"), Has.Count.EqualTo(2));
        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "search"), Is.EqualTo([3]));
    }

    [Test]
    public async Task A_search_is_not_waited_for_by_who_takes_its_end_too_early([Values] bool isListenedTo)
    {
        using var folder = new CollectionDirectory();
        using var gate = new ManualResetEventSlim();
        using Heard? heard = isListenedTo ? new Heard(Path.GetFileName(folder.Path)) : null;
        FaultDevice device = null!;
        await using VectorCollection<int> collection = await OpenAsync<int>(folder, key => key, CollectionDirectory.Options with
        {
            Open = new OpenOptions { SearchThreads = 1 },
            Tuning = CollectionDirectory.Options.Tuning with
            {
                OpenDevice = paths => device = new FaultDevice(new SimulatedDevice(paths, seed: 1)),
            },
        });
        await collection.CompactAsync();
        device.Plan = new FaultPlan { OnOpen = gate.Wait };
        var buffer = new CollectionHitBuffer<int>();

        Watchdog.Run("search", () =>
        {
#pragma warning disable CA2012 // The misuse is the case.
            ValueTask early = collection.SearchAsync<float>(new float[] { 1, 5 }, buffer, 3);
            Assert.That(() => early.GetAwaiter().GetResult(), Throws.InvalidOperationException.With.Message.Contains("under way"));
            gate.Set();
            early.AsTask().GetAwaiter().GetResult();
#pragma warning restore CA2012
        });

        Assert.That(buffer.Count, Is.EqualTo(3));
    }

    private static async Task<VectorCollection<TKey>> OpenAsync<TKey>(
        CollectionDirectory folder, Func<int, TKey> keyOf, CollectionOptions? options = null)
        where TKey : notnull
    {
        VectorCollection<TKey> collection = await folder.OpenAsync<TKey>(options, schema: _schema);
        for (int key = 0; key < 20; key++)
            await collection.UpsertAsync(keyOf(key), new float[] { 1, key }, payload: new byte[] { (byte)key });
        return collection;
    }
}
