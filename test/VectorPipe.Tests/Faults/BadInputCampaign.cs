using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Faults;

/// <summary>Each bad input gives a typed error before any work begins, and the next good query is answered.</summary>
[TestFixture]
internal sealed class BadInputCampaign
{
    private const int Dimension = 16;
    private const int K = 10;

    [Test]
    public void A_query_that_cannot_be_served_is_refused_and_the_session_goes_on()
    {
        int cases = 0;
        foreach (DistanceMetric metric in Enum.GetValues<DistanceMetric>())
        {
            using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 100, dimension: Dimension);
            using VectorIndex index = test.Open(DeviceKind.Memory);
            using SearchSession session = index.OpenSession();
            foreach ((string name, float[] query, int k, SearchOptions options) in Queries(metric))
            {
                var hits = new SearchHit[Math.Clamp(k, 1, 100)];
                Exception? error = Catch(() => session.Search<float>(query, k, hits, options));
                Exception? awaited = Catch(() => index.SearchAsync<float>(query, k, options).AsTask().GetAwaiter().GetResult());
                if (error is not (InvalidVectorException or ArgumentException) || awaited?.GetType() != error.GetType())
                    Assert.Fail(
                        $"{metric}, {name}: expected a refusal, found {error?.ToString() ?? "an answer"} and "
                        + $"{awaited?.ToString() ?? "an answer"}");
                cases++;
            }

            float[] good = [.. Enumerable.Range(1, Dimension).Select(i => i / 8f)];
            Assert.That(session.Search<float>(good, K, new SearchHit[K]).Hits, Is.EqualTo(K));
            PipelineHealth.AssertIdle(session.Reads, metric.ToString());
        }

        TestContext.Out.WriteLine($"{cases} cases");
        Assert.That(cases, Is.GreaterThanOrEqualTo(120));
    }

    [Test]
    public void A_set_with_one_bad_component_anywhere_is_refused_and_leaves_nothing()
    {
        int cases = 0;
        foreach (DistanceMetric metric in Enum.GetValues<DistanceMetric>())
        {
            foreach (float bad in new[] { float.NaN, float.PositiveInfinity, float.NegativeInfinity })
            {
                foreach (int at in new[] { 0, 5, 20, 63 })
                {
                    float[] rows = [.. Enumerable.Range(0, 64).Select(i => i + 1f)];
                    rows[at] = bad;
                    using TemporaryFolder folder = new();
                    string directory = Path.Combine(folder.Path, "index");
                    Exception? error = Catch(() => new VectorIndexBuilder(directory, new BuildOptions { Metric = metric })
                        .BuildAsync(VectorSource.FromMemory<float>(rows, 4)).GetAwaiter().GetResult());
                    Assert.That(
                        error, Is.TypeOf<InvalidVectorException>().With.Property("Row").EqualTo((long)at / 4), $"{metric}, {bad} at {at}");
                    Assert.That(Directory.Exists(directory), Is.False);
                    cases++;
                }
            }
        }

        Assert.That(cases, Is.EqualTo(36));
    }

    [Test]
    public void The_smallest_and_largest_keys_are_ordinary_keys()
    {
        using TemporaryFolder folder = new();
        string directory = Path.Combine(folder.Path, "index");
        byte[] rows = [0, 0, 0, 0, 90, 90, 90, 90, 200, 200, 200, 200];
        new VectorIndexBuilder(directory, new BuildOptions())
            .BuildAsync(VectorSource.FromMemory<byte>(rows, 4, new ulong[] { 0, ulong.MaxValue, 7 })).GetAwaiter().GetResult();
        using VectorIndex index = VectorIndex.Open(directory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[3];
        session.Search<byte>(rows.AsSpan(4, 4), 3, hits);
        Assert.That(hits.Select(hit => hit.Key), Is.EqualTo(new[] { ulong.MaxValue, 0UL, 7UL }));
    }

    [Test]
    public void A_device_option_that_cannot_be_honoured_is_refused_by_its_name()
    {
        (string Name, DeviceOptions Options, DeviceKind[] Honours)[] table =
        [
            (
                "RegisterBuffers", new DeviceOptions { Tuning = new DeviceTuning { RegisterBuffers = true } },
                [DeviceKind.Auto, DeviceKind.Uring]),
            ("SqPoll", new DeviceOptions { Tuning = new DeviceTuning { SqPoll = true } }, [DeviceKind.Auto, DeviceKind.Uring]),
            ("Threads", new DeviceOptions { Tuning = new DeviceTuning { Threads = 2 } }, [DeviceKind.Portable]),
            ("IsRing", new DeviceOptions { Tuning = new DeviceTuning { IsRing = true } }, [DeviceKind.Memory]),
            ("SqIdleMs", new DeviceOptions { Tuning = new DeviceTuning { SqIdleMs = 5 } }, []),
            ("LatencyUs", new DeviceOptions { Tuning = new DeviceTuning { LatencyUs = 5 } }, [DeviceKind.Memory]),
            ("ReadsPerSecond", new DeviceOptions { Tuning = new DeviceTuning { ReadsPerSecond = 5 } }, [DeviceKind.Memory]),
            (
                "SubmitEvery", new DeviceOptions { Tuning = new DeviceTuning { SubmitEvery = 4 } },
                [DeviceKind.Auto, DeviceKind.Uring, DeviceKind.Portable]),
            ("QueueDepth", new DeviceOptions { QueueDepth = 3 }, Enum.GetValues<DeviceKind>()),
            ("PollUs", new DeviceOptions { Tuning = new DeviceTuning { PollUs = 5 } }, Enum.GetValues<DeviceKind>()),
        ];
        foreach ((string name, DeviceOptions options, DeviceKind[] honours) in table)
        {
            foreach (DeviceKind kind in Enum.GetValues<DeviceKind>())
            {
                Exception? error = Catch(() => (options with { Kind = kind }).Validated());
                bool isRefused = error is ArgumentOutOfRangeException refusal && refusal.ParamName == name;
                Assert.That(isRefused, Is.EqualTo(!honours.Contains(kind)), $"{name} with {kind}: {error?.Message}");
            }
        }
    }

    private static IEnumerable<(string Name, float[] Query, int K, SearchOptions Options)> Queries(DistanceMetric metric)
    {
        SearchOptions plain = new();
        float[] good = [.. Enumerable.Repeat(1f, Dimension)];
        foreach (float bad in new[] { float.NaN, float.PositiveInfinity, float.NegativeInfinity })
        {
            for (int at = 0; at < Dimension; at++)
            {
                float[] query = (float[])good.Clone();
                query[at] = bad;
                yield return ($"{bad} at {at}", query, K, plain);
            }
        }

        if (metric == DistanceMetric.Cosine)
            yield return ("no direction", new float[Dimension], K, plain);
        foreach (int length in new[] { 0, 1, Dimension - 1, Dimension + 1, 2 * Dimension })
            yield return ($"{length} components", new float[length], K, plain);
        foreach (int k in new[] { 0, -1, int.MinValue })
            yield return ($"k = {k}", good, k, plain);
        foreach (int listSize in new[] { 0, -1, K - 1, 65_537, int.MaxValue, int.MinValue })
            yield return ($"list size {listSize}", good, K, plain with { Graph = new GraphSearch { ListSize = listSize } });
        foreach (int width in new[] { 0, -1, 257, int.MaxValue, int.MinValue })
            yield return ($"beam width {width}", good, K, plain with { Graph = new GraphSearch { BeamWidth = width } });
        yield return ("unknown mode", good, K, plain with { Mode = (SearchMode)99 });
    }

    private static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e) when (e is InvalidVectorException or ArgumentException)
        {
            return e;
        }
    }
}
