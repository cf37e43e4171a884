using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Build;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>Bad input gives a clear typed error and leaves nothing half-written.</summary>
[TestFixture]
public sealed class BadInputTests
{
    private static readonly float[] _notFinite = [float.NaN, float.PositiveInfinity, float.NegativeInfinity];

    [Test]
    public void A_component_that_is_not_finite_is_refused_with_its_row([ValueSource(nameof(_notFinite))] float bad)
    {
        float[] rows = [.. Enumerable.Range(0, 400).Select(i => (float)i)];
        rows[(7 * 4) + 2] = bad;
        AssertBuildRefused(
            VectorSource.FromMemory<float>(rows, 4), new BuildOptions(),
            Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(7L));
    }

    [Test]
    public void A_zero_vector_is_refused_under_cosine()
    {
        byte[] rows = [.. Enumerable.Range(1, 400).Select(i => (byte)(i % 200 + 1))];
        rows.AsSpan(12, 4).Clear();
        AssertBuildRefused(
            VectorSource.FromMemory<byte>(rows, 4), new BuildOptions { Metric = DistanceMetric.Cosine },
            Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(3L));
    }

    [Test]
    public void A_key_that_is_used_twice_is_refused()
    {
        ulong[] keys = [5, 6, 7, 6];
        AssertBuildRefused(
            VectorSource.FromMemory<byte>(new byte[16], 4, keys), new BuildOptions(),
            Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("key 6").And.Property("Row").EqualTo(3L));
    }

    [Test]
    public void Options_out_of_range_are_refused_by_name()
    {
        VectorSource source = VectorSource.FromMemory<byte>(new byte[400], 4);
        AssertBuildRefused(
            source, new BuildOptions { Graph = new GraphBuild { MaxDegree = 3 } },
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("MaxDegree"));
        AssertBuildRefused(
            source, new BuildOptions { Tuning = new BuildTuning { ListSize = 10 } },
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("ListSize"));
        AssertBuildRefused(
            source, new BuildOptions { Tuning = new BuildTuning { Alpha = 0.9f } },
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("Alpha"));
        AssertBuildRefused(
            source, new BuildOptions { Tuning = new BuildTuning { CodeBytes = 5 } },
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("CodeBytes"));
        AssertBuildRefused(
            source, new BuildOptions { Threads = 0 },
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("Threads"));
    }

    [Test]
    public void A_missing_vector_file_is_named() =>
        Assert.That(
            async () => await VectorSource.OpenFileAsync("/no/such/file.fbin"),
            Throws.InstanceOf<IOException>().With.Message.Contains("file.fbin"));

    [Test]
    public void A_query_of_the_wrong_dimension_or_type_is_refused()
    {
        using TestIndex test = TestIndex.Build(count: 100);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[10];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                () => session.Search<byte>(new byte[31], 10, hits),
                Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("32"));
            Assert.That(
                () => session.Search<float>(new float[32], 10, hits),
                Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("UInt8"));
            Assert.That(async () => await index.SearchAsync<byte>(new byte[33], 10), Throws.InstanceOf<InvalidVectorException>());
            Assert.That(
                () => index.SearchAsync<double>(new double[32], 10),
                Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("Double"));
            Assert.That(
                () => index.SearchBatchAsync<double>(new double[64], 10),
                Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("UInt8"));
            Assert.That(
                () => session.Search<double>(new double[32], 10, hits),
                Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("Double"));
        }
    }

    [Test]
    public void A_query_that_is_not_finite_is_refused()
    {
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 100);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        float[] query = new float[32];
        query[5] = float.NaN;
        Assert.That(
            async () => await index.SearchAsync<float>(query, 10),
            Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("component 5"));
    }

    [Test]
    public void K_and_list_size_out_of_range_are_refused()
    {
        using TestIndex test = TestIndex.Build(count: 100);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] query = test.MakeQueries(1);
        var hits = new SearchHit[200];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                () => session.Search<byte>(query, 0, hits),
                Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("k"));
            Assert.That(
                () => session.Search<byte>(query, 10, hits, new SearchOptions { Graph = new GraphSearch { ListSize = 9 } }),
                Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("ListSize"));
            Assert.That(
                () => session.Search<byte>(query, 10, hits, new SearchOptions { Graph = new GraphSearch { BeamWidth = 0 } }),
                Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("BeamWidth"));
            Assert.That(() => session.Search<byte>(query, 10, hits.AsSpan(0, 9)), Throws.InstanceOf<ArgumentException>());
            Assert.That(session.Search<byte>(query, 100, hits).Hits, Is.EqualTo(100), "k = n returns all");
        }
    }

    [Test]
    public void A_single_vector_is_an_index([Values(1, 2, 3)] int count)
    {
        using TestIndex test = TestIndex.Build(count: count);
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[count];
        session.Search<byte>(test.Rows.AsSpan((count - 1) * test.RowBytes, test.RowBytes), count, hits);
        Assert.That(hits[0], Is.EqualTo(new SearchHit((ulong)count - 1, 0)));
    }

    [Test]
    public void A_second_writer_is_refused_and_the_first_goes_on()
    {
        using TestIndex test = TestIndex.Build(count: 100);
        using (WriteLock.Take(test.Directory, FileStorageIo.Instance))
            Assert.That(() => test.Rebuild(), Throws.InstanceOf<IndexWriteException>().With.Message.Contains("only writer"));
        Assert.That(() => test.Rebuild(), Throws.Nothing);
    }

    [Test]
    public void A_rebuild_replaces_the_old_index_while_readers_go_on()
    {
        using TestIndex test = TestIndex.Build(count: 500);
        using VectorIndex old = test.Open();
        test.Rebuild();
        using VectorIndex fresh = test.Open();
        using SearchSession oldSession = old.OpenSession();
        var hits = new SearchHit[5];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(old.Info.Generation, Is.EqualTo(1));
            Assert.That(fresh.Info.Generation, Is.EqualTo(2));
            Assert.That(oldSession.Search<byte>(test.MakeQueries(1), 5, hits).Hits, Is.EqualTo(5));
            Assert.That(
                Directory.GetFiles(test.Directory).Select(Path.GetFileName),
                Is.EquivalentTo(
                    new[] { "LOCK", "MANIFEST", "nodes-000002.vp", "codes-000002.vp", "codebook-000002.vp", "keys-000002.vp",
                    "pagegraph-000002.vp" }));
        }
    }

    [TestCase(500)]
    [TestCase(2000, Category = "Heavy")]
    public void A_cancelled_build_leaves_the_previous_index_and_nothing_else(int count)
    {
        using TestIndex test = TestIndex.Build(count: count);
        string[] before = Directory.GetFiles(test.Directory);
        using var cancellation = new CancellationTokenSource();
        var progress = new CancelAt("write", cancellation);
        Assert.That(
            async () =>
            await new VectorIndexBuilder(test.Directory, test.Options()).BuildAsync(test.Source(), progress, cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Directory.GetFiles(test.Directory), Is.EquivalentTo(before));
        Assert.That(() => test.Open().Dispose(), Throws.Nothing);
    }

    [Test]
    public void An_error_after_publication_keeps_the_new_index()
    {
        // A logger that throws after publication must not make the build delete the files that its manifest names.
        using TestIndex test = TestIndex.Build(count: 300);
        using var factory = new ThrowingLogger(static (_, _, text) => text.StartsWith("Published", StringComparison.Ordinal));
        Assert.That(
            async () => await new VectorIndexBuilder(test.Directory, test.Options(), factory).BuildAsync(test.Source()),
            Throws.InstanceOf<AggregateException>());
        using VectorIndex index = test.Open();
        Assert.That(index.Info.Generation, Is.EqualTo(2));
    }

    [Test]
    public void A_damaged_manifest_does_not_prevent_a_new_build()
    {
        using TestIndex test = TestIndex.Build(count: 300);
        File.WriteAllText(Path.Combine(test.Directory, "MANIFEST"), "damaged");
        Assert.That(() => test.Open().Dispose(), Throws.InstanceOf<IndexCorruptException>());
        test.Rebuild();
        Assert.That(() => test.Open().Dispose(), Throws.Nothing);
    }

    [Test]
    [Category("OrdinaryUser")]
    public void A_directory_that_cannot_be_written_to_is_named()
    {
        Assume.That(Environment.IsPrivilegedProcess, Is.False, "the superuser may write anywhere");
        using var folder = new TemporaryFolder();
        string parent = Path.Combine(folder.Path, "read-only");
        Directory.CreateDirectory(parent);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(parent, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        Assert.That(
            async () =>
            await new VectorIndexBuilder(Path.Combine(parent, "index")).BuildAsync(VectorSource.FromMemory<byte>(new byte[400], 4)),
            Throws.InstanceOf<IndexWriteException>().With.Message.Contains("read-only"));
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(parent, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    [Test]
    public void A_file_where_the_directory_should_be_is_refused()
    {
        using var folder = new TemporaryFolder();
        string path = Path.Combine(folder.Path, "file");
        File.WriteAllText(path, "mine");
        Assert.That(
            async () => await new VectorIndexBuilder(path).BuildAsync(VectorSource.FromMemory<byte>(new byte[400], 4)),
            Throws.InstanceOf<IndexWriteException>());
        Assert.That(File.ReadAllText(path), Is.EqualTo("mine"));
    }

    [Test]
    public void Leftovers_of_a_killed_build_do_not_open_and_the_next_build_deletes_them()
    {
        // A build that was killed has written files, perhaps all of them, but no manifest.
        using TestIndex test = TestIndex.Build(count: 300);
        File.Delete(Path.Combine(test.Directory, "MANIFEST"));
        File.WriteAllText(Path.Combine(test.Directory, "MANIFEST.tmp"), "half");
        File.WriteAllText(Path.Combine(test.Directory, "nodes-notes.txt"), "the user's own");
        string[] names = Directory.GetFiles(test.Directory);
        Assert.That(() => test.Open().Dispose(), Throws.InstanceOf<IndexNotFoundException>());
        Assert.That(Directory.GetFiles(test.Directory), Is.EquivalentTo(names));
        Assert.That(() => test.Rebuild(), Throws.Nothing);
        string[] named = [
            .. IndexDirectory.ReadManifest(test.Directory).Files.Select(file => file.Name), IndexDirectory.ManifestName, WriteLock.Name,
            "nodes-notes.txt"];
        Assert.That(Directory.GetFiles(test.Directory).Select(Path.GetFileName), Is.EquivalentTo(named));
    }

    [Test]
    public void Vectors_of_a_file_keep_their_row_numbers_as_keys()
    {
        using TestIndex test = TestIndex.Build(count: 300);
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[1];
        session.Search<byte>(test.Rows.AsSpan(123 * test.RowBytes, test.RowBytes), 1, hits);
        Assert.That(hits[0].Score, Is.Zero);
        Assert.That(
            test.Rows.AsSpan((int)hits[0].Key * test.RowBytes, test.RowBytes)
            .SequenceEqual(test.Rows.AsSpan(123 * test.RowBytes, test.RowBytes)),
            Is.True);
    }

    [Test]
    public void A_cancelled_query_ends_and_the_session_serves_the_next()
    {
        using TestIndex test = TestIndex.Build(count: 1000);
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[10];
        byte[] query = test.MakeQueries(1);
        Assert.That(
            () => session.Search<byte>(query, 10, hits, null, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(session.Search<byte>(query, 10, hits).Hits, Is.EqualTo(10));
    }

    private static void AssertBuildRefused(
        VectorSource source, BuildOptions options, NUnit.Framework.Constraints.IResolveConstraint constraint)
    {
        using var folder = new TemporaryFolder();
        string directory = Path.Combine(folder.Path, "index");
        Assert.That(async () => await new VectorIndexBuilder(directory, options).BuildAsync(source), constraint);
        Assert.That(Directory.Exists(directory), Is.False, "no half-written index is left");
    }

    private sealed class CancelAt(string phase, CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value)
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        }
    }
}
