using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Formats;
using VectorPipe.Model.Open;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Importing;

/// <summary>An import keeps the content of indexes in DiskANN's formats.</summary>
[TestFixture]
internal sealed class DiskAnnImportTests
{
    private TemporaryFolder _folder = null!;

    private string Index => _folder.File("index");

    /// <summary>Indexes of both programs with one, many or a part of a node per block, in several block sizes.</summary>
    /// <remarks>One in four runs every time, another one for each test.</remarks>
    private static IEnumerable<TestCaseData> Shapes(int first)
    {
        (string Name, Func<DiskAnnTestFiles> Make)[] shapes =
        [
            ("uint8, many a block", () => new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5)),
            ("int8, many a block, Rust", () => new DiskAnnTestFiles(VectorElementType.Int8, 33, 7, 157, 33, cpp: false)),
            ("float32, many a block", () => new DiskAnnTestFiles(VectorElementType.Float32, 24, 16, 150, 8)),
            ("float32, a whole number of blocks", () => new DiskAnnTestFiles(VectorElementType.Float32, 24, 16, 4096 / (96 + 68) * 3, 8)),
            ("float16, Rust", () => new DiskAnnTestFiles(VectorElementType.Float16, 24, 8, 100, 6, cpp: false)),
            ("uint8, one a block", () => new DiskAnnTestFiles(VectorElementType.UInt8, 3000, 8, 40, 100)),
            ("float32, one a block, Rust", () => new DiskAnnTestFiles(VectorElementType.Float32, 600, 64, 70, 7, cpp: false)),
            ("float32, two blocks a node", () => new DiskAnnTestFiles(VectorElementType.Float32, 1100, 8, 60, 1)),
            ("int8, three blocks a node, Rust", () => new DiskAnnTestFiles(VectorElementType.Int8, 9000, 12, 30, 9, cpp: false)),
            (
                "uint8, blocks of 512, Rust",
                () => new DiskAnnTestFiles(VectorElementType.UInt8, 128, 12, 90, 32, cpp: false, blockBytes: 512)),
            (
                "uint8, blocks of 512, two a node, Rust",
                () => new DiskAnnTestFiles(VectorElementType.UInt8, 500, 12, 50, 32, cpp: false, blockBytes: 512)),
            ("uint8, longer than the read-ahead", () => new DiskAnnTestFiles(VectorElementType.UInt8, 500, 12, 4300, 9)),
            (
                "uint8, many a block, early C++ of 8 words",
                () => new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5) { EarlyWords = 8 }),
            ("float32, many a block, PipeANN", () => new DiskAnnTestFiles(VectorElementType.Float32, 24, 16, 150, 8) { EarlyWords = 9 }),
            (
                "float32, two blocks a node, PipeANN",
                () => new DiskAnnTestFiles(VectorElementType.Float32, 1100, 8, 60, 1) { EarlyWords = 9 }),
            ("a single node", () => new DiskAnnTestFiles(VectorElementType.Float32, 8, 0, 1, 2)),
        ];
        foreach ((int number, (string name, Func<DiskAnnTestFiles> make)) in shapes.Index())
        {
            TestCaseData shape = new TestCaseData(make).SetArgDisplayNames(name);
            yield return number % 4 == first ? shape : shape.SetCategory("Heavy");
        }
    }

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCaseSource(nameof(Shapes), new object[] { 0 })]
    public void Search_of_an_import_finds_the_nearest_vectors(Func<DiskAnnTestFiles> make)
    {
        DiskAnnTestFiles files = make();
        Import(files);
        using VectorIndex index = Open();
        AssertFindsNearest(index, files, DistanceMetric.L2);
    }

    [TestCaseSource(nameof(Shapes), new object[] { 1 })]
    public void Vectors_links_and_codes_are_kept_bit_for_bit(Func<DiskAnnTestFiles> make)
    {
        DiskAnnTestFiles files = make();
        Import(files);
        Manifest manifest = IndexDirectory.ReadManifest(Index);
        Assert.That(manifest.Schema.EntryPoint, Is.EqualTo(files.Medoid));
        Assert.That(ReadStream(manifest, FileRole.Codes), Is.EqualTo(files.Codes));
        AssertNodes(manifest, files);
    }

    [TestCaseSource(nameof(Shapes), new object[] { 2 })]
    public async Task An_import_verifies(Func<DiskAnnTestFiles> make)
    {
        Import(make());
        Assert.That((await VectorIndex.VerifyAsync(Index)).Defects, Is.Empty);
    }

    [TestCaseSource(nameof(Shapes), new object[] { 3 })]
    public void Code_distances_are_those_to_the_vectors_that_DiskANN_decodes(Func<DiskAnnTestFiles> make)
    {
        DiskAnnTestFiles files = make();
        Import(files);
        Quantizer quantizer = QuantizerFormat.Read(ReadStream(IndexDirectory.ReadManifest(Index), FileRole.CodeBook));
        Assert.That(quantizer.ChunkOffsets.ToArray(), Is.EqualTo(files.ChunkOffsets));
        float[] query = [.. files.Mean.Select((x, k) => x + (k % 5))];
        foreach (DistanceMetric metric in new[] { DistanceMetric.L2, DistanceMetric.InnerProduct })
        {
            float[] distances = CodeDistances(quantizer, metric, query, files, out float rounding);
            for (int id = 0; id < files.Count; id++)
            {
                float[] decoded = files.Decoded(id);
                double expected =
                    query.Zip(decoded, (a, b) => metric == DistanceMetric.L2 ? Math.Pow((double)a - b, 2) : -(double)a * b).Sum();
                double scale = query.Zip(decoded, (a, b) => (double)(a * a) + (b * b)).Sum();
                Assert.That(distances[id], Is.EqualTo(expected).Within(rounding + (1e-5 * scale)), $"{metric}, node {id}");
            }
        }
    }

    [Test]
    public void An_inner_product_index_of_the_Rust_program_is_searched_by_inner_product()
    {
        var files = new DiskAnnTestFiles(VectorElementType.Float32, 24, 8, 120, 6, cpp: false);
        Import(files, DistanceMetric.InnerProduct);
        using VectorIndex index = Open();
        AssertFindsNearest(index, files, DistanceMetric.InnerProduct);
    }

    [Test]
    public void A_cosine_index_of_unit_vectors_is_searched_by_cosine(
        [Values] bool cpp, [Values(VectorElementType.Float32, VectorElementType.Float16)] VectorElementType type)
    {
        var files = new DiskAnnTestFiles(type, 24, 8, 120, 6, cpp, unit: true);
        Import(files, DistanceMetric.Cosine);
        using VectorIndex index = Open();
        AssertFindsNearest(index, files, DistanceMetric.Cosine);
    }

    [Test]
    public async Task Keys_are_the_ids_of_DiskANN()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5);
        Import(files);
        using VectorIndex index = Open();
        for (int id = 0; id < files.Count; id += 37)
        {
            VectorRecord? record = await index.GetAsync((ulong)id);
            Assert.That(record!.GetVector<byte>().ToArray(), Is.EqualTo(files.Vector(id).ToArray()), $"key {id}");
        }
    }

    [Test]
    public void The_type_of_float_components_is_detected(
        [Values(VectorElementType.Float32, VectorElementType.Float16)] VectorElementType type)
    {
        var files = new DiskAnnTestFiles(type, 24, 8, 60, 6);
        new DiskAnnImporter(Index).ImportAsync(files.Write(_folder)).GetAwaiter().GetResult();
        Assert.That(VectorIndex.Inspect(Index).ElementType, Is.EqualTo(type));
    }

    [Test]
    public void Fewer_than_256_pivots_are_enough()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 60, 5, pivotRows: 40);
        Import(files);
        Quantizer quantizer = QuantizerFormat.Read(ReadStream(IndexDirectory.ReadManifest(Index), FileRole.CodeBook));
        var decoded = new float[files.Dimension];
        for (int id = 0; id < files.Count; id++)
        {
            quantizer.Decode(files.Codes.AsSpan(id * files.Chunks, files.Chunks), decoded);
            Assert.That(decoded, Is.EqualTo(files.Decoded(id)), $"node {id}");
        }
    }

    [Test]
    public void The_identity_of_older_quantizers_is_accepted()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 60, 5);
        string prefix = files.Write(_folder);
        _folder.Write("ann_pq_pivots.bin", files.PivotsBytes([.. Enumerable.Range(0, 16).Select(i => (uint)i)]));
        Assert.That(() => Import(prefix, files.Type), Throws.Nothing);
    }

    [Test]
    public void Omitted_entry_points_are_reported()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 60, 5);
        string prefix = files.Write(_folder);
        _folder.Write("ann_disk.index_medoids.bin", DiskAnnTestFiles.UInt32(3, 1, 20, 4, 59));
        _folder.Write("ann_disk.index_centroids.bin", DiskAnnTestFiles.UInt32(3, 16), new byte[3 * 16 * 4]);
        Assert.That(Import(prefix, files.Type).Notes, Has.One.Contains("3 entry points"));
    }

    [Test]
    public void The_report_describes_the_import()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5);
        BuildReport report = Import(files);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(report.Points, Is.EqualTo(200));
            Assert.That(report.Dimension, Is.EqualTo(16));
            Assert.That(report.MeanDegree, Is.EqualTo(files.Links.Average(links => links.Length)));
            Assert.That(VectorIndex.Inspect(Index), Has.Property("MaxDegree").EqualTo(8).And.Property("CodeBytes").EqualTo(5));
            Assert.That(report.IndexBytes, Is.EqualTo(Directory.GetFiles(Index).Sum(file => new FileInfo(file).Length)));
            Assert.That(report.Notes, Has.Count.EqualTo(1), "one note, which names the program that wrote the files");
        }
    }

    [TestCase(true, null, "by the C++ program")]
    [TestCase(false, null, "by the Rust program")]
    [TestCase(true, 8, "PipeANN or an early C++ version")]
    [TestCase(true, 9, "PipeANN or an early C++ version")]
    public void The_program_that_wrote_the_files_is_named(bool cpp, int? earlyWords, string expected)
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 60, 5, cpp) { EarlyWords = earlyWords };
        Assert.That(Import(files).Notes, Has.One.Contains(expected));
    }

    /// <summary>PipeANN's quantizers have the older form, with a permutation that is the identity.</summary>
    [Test]
    public void An_index_with_the_header_and_the_quantizer_of_PipeANN_is_searched()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5) { EarlyWords = 9 };
        string prefix = files.Write(_folder);
        _folder.Write("ann_pq_pivots.bin", files.PivotsBytes([.. Enumerable.Range(0, 16).Select(i => (uint)i)]));
        Import(prefix, files.Type);
        using VectorIndex index = Open();
        AssertFindsNearest(index, files, DistanceMetric.L2);
    }

    [Test]
    public void An_import_replaces_an_older_index()
    {
        Import(new DiskAnnTestFiles(VectorElementType.Float32, 24, 16, 150, 8));
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5, seed: 6);
        Import(files);
        using VectorIndex index = Open();
        Assert.That(index.Info.Generation, Is.EqualTo(2));
        AssertFindsNearest(index, files, DistanceMetric.L2);
    }

    [Test]
    public void The_same_files_make_the_same_index_byte_for_byte()
    {
        string prefix = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5).Write(_folder);
        Dictionary<string, byte[]> first = ImportAnew(prefix);
        Assert.That(ImportAnew(prefix), Is.EqualTo(first));
    }

    [Test]
    public void The_identity_follows_from_the_bytes_of_all_files_a_megabyte_at_a_time()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 500, 12, 4300, 9);
        Import(files);
        var hash = new ContentHash();
        hash.Add(((ulong)DistanceMetric.L2 << 32) | (uint)files.Type);
        foreach (byte[] bytes in new[] { files.DiskIndexBytes(), files.CodesBytes(), files.PivotsBytes() })
        {
            for (int from = 0; from <= bytes.Length; from += 1 << 20)
                hash.Add(bytes.AsSpan(from, Math.Min(1 << 20, bytes.Length - from)));
        }

        Assert.That(IndexDirectory.ReadManifest(Index).IndexId, Is.EqualTo(FileIds.OfIndex(hash.Value, 1)));
    }

    [Test]
    public void One_changed_byte_of_any_file_makes_another_identity(
        [Values("ann_disk.index", "ann_pq_compressed.bin", "ann_pq_pivots.bin")] string name)
    {
        string prefix = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 200, 5).Write(_folder);
        ImportAnew(prefix);
        ulong before = IndexDirectory.ReadManifest(Index).IndexId;
        byte[] bytes = File.ReadAllBytes(_folder.File(name));
        // A component of the first node, the first code, a byte of a centroid: all stay valid.
        int changed = name switch { "ann_disk.index" => 4096, "ann_pq_compressed.bin" => 8, _ => 4096 + 8 + 100 };
        bytes[changed] ^= 1;
        File.WriteAllBytes(_folder.File(name), bytes);
        ImportAnew(prefix);
        Assert.That(IndexDirectory.ReadManifest(Index).IndexId, Is.Not.EqualTo(before));
    }

    private Dictionary<string, byte[]> ImportAnew(string prefix)
    {
        if (Directory.Exists(Index))
            Directory.Delete(Index, recursive: true);
        Import(prefix, VectorElementType.UInt8);
        return Directory.EnumerateFiles(Index).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);
    }

    private BuildReport Import(DiskAnnTestFiles files, DistanceMetric metric = DistanceMetric.L2) =>
        Import(files.Write(_folder), files.Type, metric);

    private BuildReport Import(string prefix, VectorElementType type, DistanceMetric metric = DistanceMetric.L2) =>
        new DiskAnnImporter(Index).ImportAsync(prefix, metric, type).GetAwaiter().GetResult();

    private VectorIndex Open() => VectorIndex.Open(Index, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } });

    private byte[] ReadStream(Manifest manifest, FileRole role)
    {
        using var reader = new PageFileReader(Index, manifest.File(role), manifest.IndexId);
        using var bytes = new NativeBuffer((nuint)reader.Header.StreamLength);
        reader.ReadAll(bytes, CancellationToken.None);
        return bytes.Span(0, (int)bytes.Length).ToArray();
    }

    private unsafe void AssertNodes(Manifest manifest, DiskAnnTestFiles files)
    {
        NodeLayout layout = manifest.Schema.CreateLayout();
        using var reader = new PageFileReader(Index, manifest.File(FileRole.Nodes), manifest.IndexId);
        uint[] links = new uint[layout.MaxListLength];
        for (int id = 0; id < files.Count; id++)
        {
            fixed (byte* bytes = reader.ReadPages(1 + (id / layout.NodesPerPage), 1))
            {
                var page = new NodePage(bytes, layout);
                int slot = id % layout.NodesPerPage;
                Assert.That(page.Vector(slot).SequenceEqual(files.Vector(id)), Is.True, $"vector {id}");
                Assert.That(page.TryReadLinks(slot, (uint)files.Count, links), Is.True);
                Assert.That(links[..page.LinkCount(slot)], Is.EqualTo(files.Links[id]), $"links of {id}");
                Assert.That(page.Key(slot), Is.EqualTo((ulong)id));
            }
        }
    }

    private static unsafe float[] CodeDistances(
        Quantizer quantizer, DistanceMetric metric, float[] query, DiskAnnTestFiles files, out float rounding)
    {
        var table = new CodeDistanceTable(files.Dimension, files.Chunks);
        table.SetQuery(quantizer, metric, query);
        float[] distances = new float[files.Count];
        fixed (byte* codes = files.Codes)
            table.Distances(codes, [.. Enumerable.Range(0, files.Count).Select(i => (uint)i)], distances);
        rounding = table.MaxRounding;
        return distances;
    }

    private static void AssertFindsNearest(VectorIndex index, DiskAnnTestFiles files, DistanceMetric metric)
    {
        int k = Math.Min(10, files.Count);
        var other = new DiskAnnTestFiles(files.Type, files.Dimension, 2, 5, 1, unit: metric == DistanceMetric.Cosine, seed: 77);
        using SearchSession session = index.OpenSession();
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = Math.Max(k, files.Count) } };
        for (int q = 0; q < other.Count; q++)
        {
            double[] expected =
                [.. Enumerable.Range(0, files.Count).Select(id => Score(metric, other.Floats(q), files.Floats(id))).Order()];
            if (metric != DistanceMetric.L2)
                Array.Reverse(expected);
            var hits = new SearchHit[k];
            Search(session, other, q, k, hits, options);
            for (int i = 0; i < k; i++)
            {
                Assert.That(
                    hits[i].Score, Is.EqualTo(expected[i]).Within(1e-4 * Math.Max(1, Math.Abs(expected[i]))), $"query {q}, hit {i}");
                Assert.That(
                    hits[i].Score,
                    Is.EqualTo(Score(metric, other.Floats(q), files.Floats((int)hits[i].Key)))
                    .Within(1e-4 * Math.Max(1, Math.Abs(expected[i]))),
                    $"key of query {q}, hit {i}");
            }
        }
    }

    private static void Search(SearchSession session, DiskAnnTestFiles queries, int q, int k, SearchHit[] hits, SearchOptions options)
    {
        ReadOnlySpan<byte> query = queries.Vector(q);
        _ = queries.Type switch
        {
            VectorElementType.Float32 => session.Search(MemoryMarshal.Cast<byte, float>(query), k, hits, options),
            VectorElementType.Float16 => session.Search(MemoryMarshal.Cast<byte, Half>(query), k, hits, options),
            VectorElementType.UInt8 => session.Search(query, k, hits, options),
            _ => session.Search(MemoryMarshal.Cast<byte, sbyte>(query), k, hits, options),
        };
    }

    private static double Score(DistanceMetric metric, float[] a, float[] b)
    {
        double dot = a.Zip(b, (x, y) => (double)x * y).Sum();
        return metric switch
        {
            DistanceMetric.L2 => a.Zip(b, (x, y) => Math.Pow((double)x - y, 2)).Sum(),
            DistanceMetric.InnerProduct => dot,
            _ => dot / Math.Sqrt(a.Sum(x => (double)x * x) * b.Sum(x => (double)x * x)),
        };
    }
}
