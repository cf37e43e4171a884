using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Importing;

/// <summary>An import refuses files that it cannot keep or believe, names the place, and leaves no index.</summary>
internal sealed class DiskAnnRefusalTests
{
    private const string DiskIndex = DiskAnnImport.DiskIndex, Codes = DiskAnnImport.Codes, Pivots = DiskAnnImport.Pivots;

    private DiskAnnImport _import = null!;

    [SetUp]
    public void WriteFiles() => _import = new DiskAnnImport();

    [TearDown]
    public void RemoveFolder() => _import.Dispose();

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
    [TestCase(72, 8191u, "length of the file", TestName = "A_stated_length_that_differs_from_the_files_is_refused")]
    [TestCase(0, 8u, "length of the file", TestName = "An_early_header_without_the_length_of_the_file_is_refused")]
    [TestCase(DiskAnnImport.Node3 + 16, 9u, "at most 8 neighbours", TestName = "More_neighbours_than_the_record_holds_are_refused")]
    public void A_disk_index_that_contradicts_itself_is_refused(int offset, uint value, string expected)
    {
        _import.Change(DiskIndex, offset, value);
        _import.AssertRefused(DiskIndex, expected, allowPivots: true);
    }

    [Test]
    public void A_neighbour_that_is_no_node_is_refused_with_its_place()
    {
        int id = Array.FindIndex(_import.Files.Links, links => links.Length > 1);
        int at = 4096 + (id * 52) + 16 + 4 + 4;
        _import.Change(DiskIndex, at, 40);
        Assert.That(_import.Refusal().Offset, Is.EqualTo(at));
    }

    [TestCase(88, 8u, "block size", TestName = "A_block_smaller_than_the_header_is_refused")]
    [TestCase(80, 16u, "associated", TestName = "Data_associated_with_nodes_is_refused")]
    [TestCase(96, 2u, "layout version", TestName = "An_unknown_layout_version_is_refused")]
    public void An_unsupported_disk_index_of_the_Rust_program_is_refused(int offset, uint value, string expected)
    {
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5, cpp: false).Write(_import.Folder);
        _import.Change(DiskIndex, offset, value);
        _import.AssertRefused(DiskIndex, expected);
    }

    [Test]
    public void An_early_disk_index_that_contradicts_itself_is_refused(
        [Values(8, 9)] int words, [Values(64, 72)] int offset, [Values(8191u, 8193u)] uint value)
    {
        if (words == 8 && offset == 72)
            offset = 8;
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5) { EarlyWords = words }.Write(_import.Folder);
        _import.Change(DiskIndex, offset, value);
        _import.AssertRefused(DiskIndex, "length of the file|re-ordered|truncated");
    }

    [Test]
    public void A_mark_of_the_Rust_program_beside_an_early_header_is_refused()
    {
        new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5) { EarlyWords = 9 }.Write(_import.Folder);
        _import.Change(DiskIndex, 0, 96);
        _import.AssertRefused(DiskIndex, "re-ordered");
    }

    [Test]
    public void An_inner_product_index_of_the_Cpp_program_is_refused() =>
        Assert.That(_import.Refusal(DistanceMetric.InnerProduct).Message, Does.Contain("C++"));

    [Test]
    public void Bytes_are_refused_under_the_cosine_metric() =>
        Assert.That(_import.Refusal(DistanceMetric.Cosine).Message, Does.Contain("unit length"));

    [Test]
    public void A_vector_that_is_not_of_unit_length_is_refused_under_the_cosine_metric()
    {
        new DiskAnnTestFiles(VectorElementType.Float32, 16, 8, 40, 5).Write(_import.Folder);
        Assert.That(
            () => _import.Import(DistanceMetric.Cosine, null),
            Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(0L).And.Message.Contains("unit length"));
        _import.AssertNothingLeft();
    }

    [Test]
    public void A_component_that_is_not_a_number_is_refused_with_its_row()
    {
        new DiskAnnTestFiles(VectorElementType.Float32, 16, 8, 40, 5).Write(_import.Folder);
        _import.Change(DiskIndex, 4096 + (5 * 100) + 8, 0x7F800000);
        Assert.That(
            () => _import.Import(type: VectorElementType.Float32),
            Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(5L));
        _import.AssertNothingLeft();
    }

    [Test]
    public void Byte_components_must_be_stated() =>
        Assert.That(_import.Refusal(type: null).Message, Does.Contain("uint8, int8"));

    [Test]
    public void A_wrong_type_is_refused() =>
        Assert.That(_import.Refusal(type: VectorElementType.Float32).Message, Does.Contain("node size"));

    [Test]
    public void An_unknown_metric_is_refused() =>
        Assert.That(
            () => new DiskAnnImporter(_import.Index).ImportAsync(_import.Prefix, (DistanceMetric)9),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("metric"));

    [Test]
    public void A_truncated_file_is_refused_at_any_length([Values(DiskIndex, Codes, Pivots)] string name)
    {
        byte[] bytes = File.ReadAllBytes(_import.Folder.File(name));
        for (int length = 0; length < bytes.Length; length = (length * 3 / 2) + 1)
        {
            _import.Folder.Write(name, bytes[..length]);
            Assert.That(_import.Refusal().Path, Is.EqualTo(_import.Folder.File(name)), $"{length} of {bytes.Length} bytes");
        }

        _import.Folder.Write(name, bytes, [0]);
        Assert.That(_import.Refusal().Path, Is.EqualTo(_import.Folder.File(name)), "a byte more");
    }

    [TestCase(60)]
    [TestCase(300, Category = "Heavy")]
    public void Random_bytes_in_headers_are_refused_or_harmless(int rounds)
    {
        Random random = RandomizedTest.Start();
        byte[][] whole = [_import.Files.DiskIndexBytes(), _import.Files.CodesBytes(), _import.Files.PivotsBytes()];
        string[] names = [DiskIndex, Codes, Pivots];
        for (int round = 0; round < rounds; round++)
        {
            int file = random.Next(3);
            byte[] bytes = [.. whole[file]];
            for (int change = random.Next(1, 4); change > 0; change--)
                bytes[random.Next(file == 1 ? 8 : 104)] = (byte)random.Next(256);
            _import.Folder.Write(names[file], bytes);
            Exception? error = DiskAnnImport.Catch(() => _import.Import());
            Assert.That(error, Is.Null.Or.InstanceOf<VectorFormatException>(), $"round {round}, {names[file]}: {error}");
            _import.Folder.Write(names[file], whole[file]);
        }
    }

    [Test]
    public void A_missing_file_is_named([Values(DiskIndex, Codes, Pivots)] string name)
    {
        File.Delete(_import.Folder.File(name));
        Assert.That(() => _import.Import(), Throws.InstanceOf<FileNotFoundException>().With.Message.Contains(name));
        _import.AssertNothingLeft();
    }
}
