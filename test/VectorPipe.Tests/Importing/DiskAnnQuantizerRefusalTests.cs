using NUnit.Framework;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Importing;

/// <summary>An import refuses codes, pivots, medoids and centroids that do not fit the disk index.</summary>
internal sealed class DiskAnnQuantizerRefusalTests
{
    private const string Codes = DiskAnnImport.Codes, Pivots = DiskAnnImport.Pivots;

    private DiskAnnImport _import = null!;

    [SetUp]
    public void WriteFiles() => _import = new DiskAnnImport();

    [TearDown]
    public void RemoveFolder() => _import.Dispose();

    [TestCase(0, 41u, "40 nodes", TestName = "Codes_of_another_number_of_nodes_are_refused")]
    [TestCase(4, 0u, "1 to 16 chunks", TestName = "Codes_without_chunks_are_refused")]
    [TestCase(4, 17u, "1 to 16 chunks", TestName = "Codes_longer_than_vectors_are_refused")]
    [TestCase(4, 6u, "truncated", TestName = "Codes_cut_short_are_refused")]
    [TestCase(4, 4u, "trailing", TestName = "Codes_with_trailing_bytes_are_refused")]
    public void Codes_that_contradict_the_disk_index_are_refused(int offset, uint value, string expected)
    {
        _import.Change(Codes, offset, value);
        _import.AssertRefused(Codes, expected);
    }

    [TestCase(0, 3u, "4 or 5", TestName = "Pivots_without_offsets_are_refused")]
    [TestCase(8, 4097u, "offset 4096", TestName = "Pivots_at_another_offset_are_refused")]
    [TestCase(4096, 257u, "1 to 256", TestName = "More_than_256_pivots_are_refused")]
    [TestCase(4096, 255u, "offset", TestName = "Fewer_pivots_than_the_offsets_say_are_refused")]
    [TestCase(4100, 15u, "dimension 16", TestName = "Pivots_of_another_dimension_are_refused")]
    [TestCase(4104, 0x7FC00000u, "finite", TestName = "A_pivot_that_is_not_a_number_is_refused")]
    [TestCase(4104 + (256 * 16 * 4), 15u, "a mean of 16 x 1", TestName = "A_mean_of_another_dimension_is_refused")]
    [TestCase(4104 + (256 * 16 * 4) + 8 + 64 + 8, 1u, "chunk offset 0", TestName = "Chunks_that_do_not_begin_at_zero_are_refused")]
    [TestCase(4104 + (256 * 16 * 4) + 8 + 64 + 12, 0u, "a chunk offset of 1", TestName = "An_empty_chunk_is_refused")]
    [TestCase(
        4104 + (256 * 16 * 4) + 8 + 64 + 28, 15u, "chunk offset 16", TestName = "Chunks_that_do_not_end_at_the_dimension_are_refused")]
    public void A_quantizer_that_contradicts_itself_is_refused(int offset, uint value, string expected)
    {
        _import.Change(Pivots, offset, value);
        _import.AssertRefused(Pivots, expected);
    }

    [Test]
    public void A_quantizer_of_another_number_of_chunks_is_refused()
    {
        _import.Folder.Write(Pivots, new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 6).PivotsBytes());
        _import.AssertRefused(Pivots, "5 chunks");
    }

    [Test]
    public void A_permutation_of_the_components_is_refused()
    {
        _import.Folder.Write(Pivots, _import.Files.PivotsBytes([1, 0, .. Enumerable.Range(2, 14).Select(i => (uint)i)]));
        _import.AssertRefused(Pivots, "permuted");
    }

    [Test]
    public void A_code_without_a_pivot_is_refused()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5, pivotRows: 30);
        files.Write(_import.Folder);
        byte[] codes = files.CodesBytes();
        codes[8 + 17] = 30;
        _import.Folder.Write(Codes, codes);
        Assert.That(_import.Refusal().Offset, Is.EqualTo(8 + 17));
    }

    [TestCase("ann_pq_pivots.bin_rotation_matrix.bin", "OPQ")]
    [TestCase("ann_disk.index_max_base_norm.bin", "inner-product")]
    [TestCase("ann_disk.index_pq_pivots.bin", "PQ_disk_bytes")]
    public void An_index_whose_vectors_or_codes_are_transformed_is_refused(string file, string expected)
    {
        _import.Folder.Write(file, [1, 2, 3]);
        _import.AssertRefused(file, expected);
    }

    [TestCase(0, 0u)]
    [TestCase(8, 40u)]
    public void Medoids_that_are_no_nodes_are_refused(int offset, uint value)
    {
        _import.Folder.Write("ann_disk.index_medoids.bin", DiskAnnTestFiles.UInt32(2, 1, 3, 4));
        _import.Change("ann_disk.index_medoids.bin", offset, value);
        _import.AssertRefused("ann_disk.index_medoids.bin", "medoid");
    }

    [Test]
    public void Centroids_of_another_dimension_are_refused()
    {
        _import.Folder.Write("ann_disk.index_medoids.bin", DiskAnnTestFiles.UInt32(2, 1, 3, 4));
        _import.Folder.Write("ann_disk.index_centroids.bin", DiskAnnTestFiles.UInt32(2, 15), new byte[120]);
        _import.AssertRefused("ann_disk.index_centroids.bin", "x 16");
    }
}
