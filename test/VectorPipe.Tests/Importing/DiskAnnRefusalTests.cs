using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Importing;

/// <summary>What an import cannot keep or believe: a typed error that says where, and no index.</summary>
internal sealed class DiskAnnRefusalTests
{
    private const string DiskIndex = "ann_disk.index", Codes = "ann_pq_compressed.bin", Pivots = "ann_pq_pivots.bin";

    // 40 nodes of 52 bytes; the record of node 3 begins behind three others.
    private const int Node3 = 4096 + (3 * 52);

    private readonly DiskAnnTestFiles _files = new(VectorElementType.UInt8, 16, 8, 40, 5);
    private TemporaryFolder _folder = null!;
    private string _prefix = "";

    private string Index => _folder.File("index");

    [SetUp]
    public void WriteFiles()
    {
        _folder = new TemporaryFolder();
        _prefix = _files.Write(_folder);
    }

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase(0, 7u, "begins with 8, 9 or 96", TestName = "A_foreign_file_is_refused")]
    [TestCase(0, 12u, "re-ordered", TestName = "An_index_with_reordered_vectors_is_refused")]
    [TestCase(4, 2u, "expected 1", TestName = "A_header_of_two_columns_is_refused")]
    [TestCase(8, 0u, "number of nodes", TestName = "An_index_without_nodes_is_refused")]
    [TestCase(8, 0xFFFFFFFFu, "4294967295 rows|units|truncated", TestName = "A_count_beyond_the_file_is_refused")]
    [TestCase(12, 1u, "number of nodes", TestName = "A_count_beyond_32_bits_is_refused")]
    [TestCase(16, 0u, "dimension", TestName = "A_dimension_of_zero_is_refused")]
    [TestCase(16, 0xFFFFFFFFu, "dimension", TestName = "A_dimension_beyond_31_bits_is_refused")]
    [TestCase(16, 17u, "node size", TestName = "A_dimension_that_the_node_size_contradicts_is_refused")]
    [TestCase(16, 20u, "dimension 20", TestName = "A_dimension_that_the_quantizer_contradicts_is_refused")]
    [TestCase(24, 40u, "medoid", TestName = "A_medoid_that_is_no_node_is_refused")]
    [TestCase(32, 0x7FFFFFFFu, "node size", TestName = "A_node_size_beyond_all_bounds_is_refused")]
    [TestCase(40, 79u, "at most 78", TestName = "More_nodes_than_a_block_holds_are_refused")]
    [TestCase(40, 0u, "bytes", TestName = "Nodes_that_span_blocks_where_the_file_is_too_short_are_refused")]
    [TestCase(48, 1u, "frozen", TestName = "A_frozen_point_is_refused")]
    [TestCase(64, 1u, "re-ordered", TestName = "A_mark_of_reordered_vectors_is_refused")]
    [TestCase(72, 8191u, "length of the file", TestName = "A_stated_length_that_is_not_the_files_is_refused")]
    [TestCase(0, 8u, "length of the file", TestName = "An_early_header_without_the_length_of_the_file_is_refused")]
    [TestCase(Node3 + 16, 9u, "at most 8 neighbours", TestName = "More_neighbours_than_there_is_room_for_are_refused")]
    public void A_disk_index_that_contradicts_itself_is_refused(int offset, uint value, string expected)
    {
        Change(DiskIndex, offset, value);
        AssertRefused(DiskIndex, expected, allowPivots: true);
    }

    [Test]
    public void A_neighbour_that_is_no_node_is_refused_with_its_place()
    {
        int id = Array.FindIndex(_files.Links, links => links.Length > 1);
        int at = 4096 + (id * 52) + 16 + 4 + 4;
        Change(DiskIndex, at, 40);
        Assert.That(Refusal().Offset, Is.EqualTo(at));
    }

    [TestCase(88, 8u, "block size", TestName = "A_block_smaller_than_the_header_is_refused")]
    [TestCase(80, 16u, "associated", TestName = "Data_associated_with_nodes_is_refused")]
    [TestCase(96, 2u, "layout version", TestName = "An_unknown_layout_version_is_refused")]
    public void A_disk_index_of_the_Rust_program_that_cannot_be_served_is_refused(int offset, uint value, string expected)
    {
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5, cpp: false).Write(_folder);
        Change(DiskIndex, offset, value);
        AssertRefused(DiskIndex, expected);
    }

    [Test]
    public void An_early_disk_index_that_contradicts_itself_is_refused(
        [Values(8, 9)] int words, [Values(64, 72)] int offset, [Values(8191u, 8193u)] uint value)
    {
        if (words == 8 && offset == 72)
            offset = 8;
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5) { EarlyWords = words }.Write(_folder);
        Change(DiskIndex, offset, value);
        AssertRefused(DiskIndex, "length of the file|re-ordered|truncated");
    }

    [Test]
    public void A_mark_of_the_Rust_program_beside_an_early_header_is_refused()
    {
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5) { EarlyWords = 9 }.Write(_folder);
        Change(DiskIndex, 0, 96);
        AssertRefused(DiskIndex, "re-ordered");
    }

    [TestCase(0, 41u, "40 nodes", TestName = "Codes_of_another_number_of_nodes_are_refused")]
    [TestCase(4, 0u, "1 to 16 chunks", TestName = "Codes_without_chunks_are_refused")]
    [TestCase(4, 17u, "1 to 16 chunks", TestName = "Codes_longer_than_vectors_are_refused")]
    [TestCase(4, 6u, "truncated", TestName = "Codes_cut_short_are_refused")]
    [TestCase(4, 4u, "trailing", TestName = "Codes_with_trailing_bytes_are_refused")]
    public void Codes_that_contradict_the_disk_index_are_refused(int offset, uint value, string expected)
    {
        Change(Codes, offset, value);
        AssertRefused(Codes, expected);
    }

    [TestCase(0, 3u, "4 or 5", TestName = "Pivots_without_offsets_are_refused")]
    [TestCase(8, 4097u, "offset 4096", TestName = "Pivots_at_another_offset_are_refused")]
    [TestCase(4096, 257u, "1 to 256", TestName = "More_than_256_pivots_are_refused")]
    [TestCase(4096, 255u, "offset", TestName = "Fewer_pivots_than_the_offsets_say_are_refused")]
    [TestCase(4100, 15u, "dimension 16", TestName = "Pivots_of_another_dimension_are_refused")]
    [TestCase(4104, 0x7FC00000u, "finite", TestName = "A_pivot_that_is_no_number_is_refused")]
    [TestCase(4104 + (256 * 16 * 4), 15u, "a mean of 16 x 1", TestName = "A_mean_of_another_dimension_is_refused")]
    [TestCase(4104 + (256 * 16 * 4) + 8 + 64 + 8, 1u, "chunk offset 0", TestName = "Chunks_that_do_not_begin_at_zero_are_refused")]
    [TestCase(4104 + (256 * 16 * 4) + 8 + 64 + 12, 0u, "a chunk offset of 1", TestName = "An_empty_chunk_is_refused")]
    [TestCase(
        4104 + (256 * 16 * 4) + 8 + 64 + 28, 15u, "chunk offset 16", TestName = "Chunks_that_do_not_end_at_the_dimension_are_refused")]
    public void A_quantizer_that_contradicts_itself_is_refused(int offset, uint value, string expected)
    {
        Change(Pivots, offset, value);
        AssertRefused(Pivots, expected);
    }

    [Test]
    public void A_quantizer_of_another_number_of_chunks_is_refused()
    {
        _folder.Write(Pivots, new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 6).PivotsBytes());
        AssertRefused(Pivots, "5 chunks");
    }

    [Test]
    public void A_permutation_of_the_components_is_refused()
    {
        _folder.Write(Pivots, _files.PivotsBytes([1, 0, .. Enumerable.Range(2, 14).Select(i => (uint)i)]));
        AssertRefused(Pivots, "permuted");
    }

    [Test]
    public void A_code_without_a_pivot_is_refused()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5, pivotRows: 30);
        files.Write(_folder);
        byte[] codes = files.CodesBytes();
        codes[8 + 17] = 30;
        _folder.Write(Codes, codes);
        Assert.That(Refusal().Offset, Is.EqualTo(8 + 17));
    }

    [TestCase("ann_pq_pivots.bin_rotation_matrix.bin", "OPQ")]
    [TestCase("ann_disk.index_max_base_norm.bin", "inner-product")]
    [TestCase("ann_disk.index_pq_pivots.bin", "PQ_disk_bytes")]
    public void An_index_whose_vectors_or_codes_are_transformed_is_refused(string file, string expected)
    {
        _folder.Write(file, [1, 2, 3]);
        AssertRefused(file, expected);
    }

    [Test]
    public void An_inner_product_index_of_the_Cpp_program_is_refused() =>
        Assert.That(Refusal(DistanceMetric.InnerProduct).Message, Does.Contain("C++"));

    [Test]
    public void Bytes_are_refused_under_the_cosine_metric() =>
        Assert.That(Refusal(DistanceMetric.Cosine).Message, Does.Contain("unit length"));

    [Test]
    public void A_vector_that_is_not_of_unit_length_is_refused_under_the_cosine_metric()
    {
        new DiskAnnTestFiles(VectorElementType.Float32, 16, 8, 40, 5).Write(_folder);
        Assert.That(
            () => Import(DistanceMetric.Cosine, null),
            Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(0L).And.Message.Contains("unit length"));
        AssertNothingLeft();
    }

    [Test]
    public void A_component_that_is_no_number_is_refused_with_its_row()
    {
        new DiskAnnTestFiles(VectorElementType.Float32, 16, 8, 40, 5).Write(_folder);
        Change(DiskIndex, 4096 + (5 * 100) + 8, 0x7F800000);
        Assert.That(
            () => Import(type: VectorElementType.Float32), Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(5L));
        AssertNothingLeft();
    }

    [Test]
    public void Byte_components_must_be_stated() =>
        Assert.That(Refusal(type: null).Message, Does.Contain("uint8, int8"));

    [Test]
    public void A_wrong_type_is_refused() =>
        Assert.That(Refusal(type: VectorElementType.Float32).Message, Does.Contain("node size"));

    [Test]
    public void An_option_that_is_none_is_refused() =>
        Assert.That(
            () => new DiskAnnImporter(Index).ImportAsync(_prefix, (DistanceMetric)9),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("metric"));

    [Test]
    public void A_truncated_file_is_refused_wherever_it_ends([Values(DiskIndex, Codes, Pivots)] string name)
    {
        byte[] bytes = File.ReadAllBytes(_folder.File(name));
        for (int length = 0; length < bytes.Length; length = (length * 3 / 2) + 1)
        {
            _folder.Write(name, bytes[..length]);
            Assert.That(Refusal().Path, Is.EqualTo(_folder.File(name)), $"{length} of {bytes.Length} bytes");
        }

        _folder.Write(name, bytes, [0]);
        Assert.That(Refusal().Path, Is.EqualTo(_folder.File(name)), "a byte more");
    }

    [Test]
    public void Random_bytes_in_headers_are_refused_or_harmless()
    {
        Random random = RandomizedTest.Start();
        byte[][] whole = [_files.DiskIndexBytes(), _files.CodesBytes(), _files.PivotsBytes()];
        string[] names = [DiskIndex, Codes, Pivots];
        for (int round = 0; round < 300; round++)
        {
            int file = random.Next(3);
            byte[] bytes = [.. whole[file]];
            for (int change = random.Next(1, 4); change > 0; change--)
                bytes[random.Next(file == 1 ? 8 : 104)] = (byte)random.Next(256);
            _folder.Write(names[file], bytes);
            Exception? error = Catch();
            Assert.That(error, Is.Null.Or.InstanceOf<VectorFormatException>(), $"round {round}, {names[file]}: {error}");
            _folder.Write(names[file], whole[file]);
        }
    }

    [Test]
    public void A_missing_file_is_named([Values(DiskIndex, Codes, Pivots)] string name)
    {
        File.Delete(_folder.File(name));
        Assert.That(() => Import(), Throws.InstanceOf<FileNotFoundException>().With.Message.Contains(name));
        AssertNothingLeft();
    }

    [TestCase(0, 0u)]
    [TestCase(8, 40u)]
    public void Medoids_that_are_no_nodes_are_refused(int offset, uint value)
    {
        _folder.Write("ann_disk.index_medoids.bin", DiskAnnTestFiles.UInt32(2, 1, 3, 4));
        Change("ann_disk.index_medoids.bin", offset, value);
        AssertRefused("ann_disk.index_medoids.bin", "medoid");
    }

    [Test]
    public void Centroids_of_another_dimension_are_refused()
    {
        _folder.Write("ann_disk.index_medoids.bin", DiskAnnTestFiles.UInt32(2, 1, 3, 4));
        _folder.Write("ann_disk.index_centroids.bin", DiskAnnTestFiles.UInt32(2, 15), new byte[120]);
        AssertRefused("ann_disk.index_centroids.bin", "x 16");
    }

    [Test]
    public void A_refused_import_leaves_the_previous_index()
    {
        Import();
        string[] before = Directory.GetFiles(Index);
        Change(DiskIndex, Node3 + 16, 9);
        Assert.That(() => Import(), Throws.InstanceOf<VectorFormatException>());
        Assert.That(Directory.GetFiles(Index), Is.EquivalentTo(before));
        Assert.That(VectorIndex.Inspect(Index).Generation, Is.EqualTo(1));
    }

    [Test]
    public void A_cancelled_import_leaves_nothing([Values("identify", "nodes", "codes")] string phase)
    {
        using var cancellation = new CancellationTokenSource();
        var progress = new CancelIn(phase, cancellation);
        Assert.That(
            async () =>
            await new DiskAnnImporter(Index)
            .ImportAsync(_prefix, elementType: VectorElementType.UInt8, progress: progress, cancellationToken: cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        AssertNothingLeft();
    }

    [Test]
    public void A_second_writer_is_refused()
    {
        Directory.CreateDirectory(Index);
        using (WriteLock.Take(Index, FileStorageIo.Instance))
            Assert.That(() => Import(), Throws.InstanceOf<IndexWriteException>().With.Message.Contains("only writer"));
        Assert.That(() => Import(), Throws.Nothing);
    }

    [Test]
    public void An_error_at_any_operation_on_storage_leaves_no_index_or_the_whole_one()
    {
        Exception? error;
        int k = 0;
        do
        {
            var io = new FaultyStorageIo(StorageFault.IoError, k, always: false);
            error = Catch(
                () =>
                new DiskAnnImporter(Index, null, io).ImportAsync(_prefix, elementType: VectorElementType.UInt8).GetAwaiter().GetResult());
            Assert.That(error, Is.Null.Or.InstanceOf<IndexWriteException>(), $"operation {k}");
            if (File.Exists(Path.Combine(Index, IndexDirectory.ManifestName)))
                Assert.That(VectorIndex.VerifyAsync(Index).GetAwaiter().GetResult().Defects, Is.Empty, $"operation {k}");
            if (Directory.Exists(Index))
                Directory.Delete(Index, recursive: true);
            k++;
        }
        while (error is not null || k < 5);
        Assert.That(k, Is.GreaterThan(10), "every operation was made to fail");
    }

    [Test]
    public void A_read_that_fails_ends_the_import_with_a_typed_error_and_leaves_nothing()
    {
        var counting = new FaultOpener(_ => default);
        Import(counting);
        Directory.Delete(Index, recursive: true);
        Assert.That(counting.Reads, Is.AtLeast(3), "files are identified, then converted");
        for (int failing = 0; failing < counting.Reads; failing++)
        {
            var faults = new FaultOpener(read => read == failing ? new Fault(FaultKind.Errno, Errno.EIO) : default);
            Assert.That(
                () => Import(faults),
                Throws.TypeOf<DeviceException>().With.Message.Contains(_prefix).And.Property("ErrorNumber").EqualTo(Errno.EIO),
                $"read {failing}");
            AssertNothingLeft();
        }
    }

    [Test]
    public void Reads_that_come_late_short_or_twice_change_nothing()
    {
        Import();
        Dictionary<string, byte[]> expected =
            Directory.EnumerateFiles(Index).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);
        Directory.Delete(Index, recursive: true);
        Fault[] faults = [new(FaultKind.Delay, 2), new(FaultKind.Short, 512), new(FaultKind.Duplicate), new(FaultKind.Errno, Errno.EAGAIN)];
        for (int i = 0; i < faults.Length; i++)
        {
            int shift = i;
            Import(new FaultOpener(read => faults[(read + shift) % faults.Length]));
            Assert.That(
                Directory.EnumerateFiles(Index).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes), Is.EqualTo(expected));
            Directory.Delete(Index, recursive: true);
        }
    }

    private static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private void Import(DistanceMetric metric = DistanceMetric.L2, VectorElementType? type = VectorElementType.UInt8) =>
        new DiskAnnImporter(Index).ImportAsync(_prefix, metric, type).GetAwaiter().GetResult();

    private void Import(FaultOpener opener) =>
        new DiskAnnImporter(Index, null, FileStorageIo.Instance, opener.Open).ImportAsync(_prefix, elementType: VectorElementType.UInt8)
        .GetAwaiter().GetResult();

    private Exception? Catch() => Catch(() => Import());

    private VectorFormatException Refusal(DistanceMetric metric = DistanceMetric.L2, VectorElementType? type = VectorElementType.UInt8)
    {
        var error = Assert.Throws<VectorFormatException>(() => Import(metric, type));
        AssertNothingLeft();
        return error!;
    }

    private void AssertRefused(string file, string expected, bool allowPivots = false)
    {
        VectorFormatException error = Refusal();
        Assert.That(error.Message, Does.Match(expected));
        Assert.That(error.Path, Is.EqualTo(_folder.File(file)).Or.EqualTo(allowPivots ? _folder.File(Pivots) : null));
    }

    private void AssertNothingLeft() => Assert.That(Directory.Exists(Index), Is.False, "nothing half-written stays behind");

    private void Change(string name, int offset, uint value)
    {
        byte[] bytes = File.ReadAllBytes(_folder.File(name));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(offset), value);
        File.WriteAllBytes(_folder.File(name), bytes);
    }

    private sealed class CancelIn(string phase, CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value)
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        }
    }
}
