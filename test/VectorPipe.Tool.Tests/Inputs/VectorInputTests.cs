using System.IO.Compression;
using System.Runtime.InteropServices;
using NUnit.Framework;
using PureHDF;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Inputs;

/// <summary>Files of vectors that the library does not read itself.</summary>
public sealed class VectorInputTests
{
    // Three vectors of two dimensions, row by row and component by component.
    private static readonly double[] _rows = [1, 2, 3, 4, 5, 6], _columns = [1, 3, 5, 2, 4, 6];

    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task A_float64_array_is_rounded_with_a_note()
    {
        TestArrays.Write(_folder["double.npy"], "<f8", "(3, 2)", isFortran: false, _rows);
        ToolRun run = await BuildAsync(_folder["double.npy"]);
        Assert.That(run.Error, Does.Contain("note: ").And.Contain("double.npy' holds float64; its components are rounded to float32"));
        await AssertVectorsAsync();
    }

    [Test]
    public async Task An_array_in_Fortran_order_is_turned_round()
    {
        TestArrays.Write(_folder["fortran.npy"], "<f4", "(3, 2)", isFortran: true, [.. _columns.Select(x => (float)x)]);
        ToolRun run = await BuildAsync(_folder["fortran.npy"]);
        Assert.That(run.Error, Does.Not.Contain("note: "));
        await AssertVectorsAsync();
        TestArrays.Write(_folder["fortran64.npy"], "<f8", "(3, 2)", isFortran: true, _columns);
        await BuildAsync(_folder["fortran64.npy"]);
        await AssertVectorsAsync();
    }

    [Test]
    public async Task An_array_of_one_dimension_is_one_query()
    {
        await BuildFbinAsync();
        TestArrays.Write(_folder["one.npy"], "<f4", "(2,)", isFortran: false, 5f, 6f);
        Assert.That(await NearestAsync(_folder["one.npy"]), Is.EqualTo(new uint[] { 2 }));
    }

    [TestCase(CompressionLevel.NoCompression, false)]
    [TestCase(CompressionLevel.Optimal, false)]
    [TestCase(CompressionLevel.Optimal, true)]
    public async Task An_archive_holds_arrays(CompressionLevel level, bool isFortran)
    {
        string path = _folder[$"{level}{isFortran}.npz"];
        TestArrays.WriteArchive(
            path, level, ("other", TestArrays.Encode("<f4", "(1, 1)", false, 7f)),
            ("vectors", TestArrays.Encode("<f8", "(3, 2)", isFortran, isFortran ? _columns : _rows)));
        await BuildAsync($"{path}:vectors");
        await AssertVectorsAsync();
        (await ToolRun.RunAsync("build", "--base", path, "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "expected one array, or the name of one");
        (await ToolRun.RunAsync("build", "--base", $"{path}:wings", "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "expected an array 'wings'; found other, vectors");
    }

    [TestCase("<i4", "(3, 2)", 24, "expected elements of '<f8'")]
    [TestCase(">f8", "(3, 2)", 48, "expected elements of '<f8'")]
    [TestCase("<f8", "(3, 2)", 47, "bytes, as the header says")]
    [TestCase("<f8", "(1, 3, 2)", 48, "one or two dimensions; found 3")]
    [TestCase("<f8", "(0, 2)", 0, "expected at least 1 row")]
    [TestCase("<f8", "(3, -2)", 48, "'fortran_order' and 'shape'")]
    public async Task A_file_without_vectors_is_named(string type, string shape, int bytes, string expected)
    {
        TestArrays.Write(_folder["bad.npy"], type, shape, isFortran: false, new byte[bytes]);
        ToolRun run = await ToolRun.RunAsync("build", "--base", _folder["bad.npy"], "--out", _folder["none"]);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain("bad.npy"));
    }

    [Test]
    public async Task Hdf5_of_ann_benchmarks_is_base_queries_and_truth()
    {
        string path = _folder["bench.hdf5"];
        var file = new H5File
        {
            ["train"] = new H5Dataset(new float[,] { { 1, 2 }, { 3, 4 }, { 5, 6 } }, chunks: [2, 2]),
            ["test"] = new double[,] { { 5, 6 }, { 1, 2 } },
            ["neighbors"] = new int[,] { { 2, 1 }, { 0, 1 } },
            ["distances"] = new float[,] { { 0, 2.828427f }, { 0, 2.828427f } },
        };
        file.Attributes["distance"] = "euclidean";
        file.Write(path);

        await BuildAsync(path);
        await AssertVectorsAsync();
        Assert.That(await NearestAsync(path, path), Is.EqualTo(new uint[] { 2, 0 }));
        await BuildFbinAsync();
        Assert.That(await NearestAsync($"{path}:train"), Is.EqualTo(new uint[] { 0, 1, 2 }));
        ToolRun run = await ToolRun.SucceedAsync(
            "search", "--index", _folder["index"], "--query", path, "--truth", path, "-k", "2", "--device", "memory");
        Assert.That(run.Output, Does.Contain("1.0000"));
        (await ToolRun.RunAsync("build", "--base", $"{path}:wings", "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "expected a data set 'wings'; found train, test, neighbors, distances");
        (await ToolRun.RunAsync("build", "--base", $"{path}:neighbors", "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "expected components of float64, float32, float16, uint8 or int8");
    }

    [TestCase("columns.arrow")]
    [TestCase("columns.arrows")]
    public async Task A_column_of_Arrow_brings_its_keys(string name)
    {
        TestArrow.Write(
            _folder[name], [("key", TestArrow.Longs(7, 8)), ("vector", TestArrow.Pairs(1, 2, 3, 4)), ("spare", TestArrow.Longs(1, 1))],
            [("key", TestArrow.Longs(9)), ("vector", TestArrow.Pairs(5, 6)), ("spare", TestArrow.Longs(1))]);
        await BuildAsync(_folder[name]);
        await AssertVectorsAsync(7, 8, 9);
        (await ToolRun.RunAsync("build", "--base", $"{_folder[name]}:wings", "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "expected a column 'wings' of vectors; found key, vector, spare");
        (await ToolRun.RunAsync("build", "--base", $"{_folder[name]}:spare", "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "in column 'spare'; found int64");
    }

    [Test]
    public async Task Lists_of_different_lengths_are_named()
    {
        TestArrow.Write(_folder["ragged.arrow"], [("vector", TestArrow.Lists([1, 2], [3]))]);
        (await ToolRun.RunAsync("build", "--base", _folder["ragged.arrow"], "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "row 1, column 'vector': expected a list of 2 numbers; found 1");
    }

    [Test]
    public async Task Keys_come_from_lines_or_an_array()
    {
        await BuildFbinAsync();
        await File.WriteAllLinesAsync(_folder["keys.txt"], ["70", "80", "90"]);
        await BuildAsync(_folder["base.fbin"], "--keys", _folder["keys.txt"]);
        await AssertVectorsAsync(70, 80, 90);
        TestArrays.Write(_folder["keys.npy"], "<i8", "(3,)", isFortran: false, 17L, 18L, 19L);
        await BuildAsync(_folder["base.fbin"], "--keys", _folder["keys.npy"]);
        await AssertVectorsAsync(17, 18, 19);
        await File.WriteAllLinesAsync(_folder["keys.txt"], ["70", "80"]);
        (await ToolRun.RunAsync("build", "--base", _folder["base.fbin"], "--keys", _folder["keys.txt"], "--out", _folder["none"]))
            .AssertFailed(ExitCodes.BadInput, "--keys: expected 3 keys, one for each vector; found 2");
    }

    [TestCase("bad.arrow", "expected an Arrow file or stream")]
    [TestCase("bad.hdf5", "expected a file of HDF5")]
    [TestCase("bad.npz", "expected an archive of arrays of NumPy")]
    public async Task A_file_that_is_not_what_its_name_says_is_refused(string name, string expected)
    {
        await File.WriteAllTextAsync(_folder[name], "These are no vectors, and no header of any format either.");
        (await ToolRun.RunAsync("build", "--base", _folder[name], "--out", _folder["none"])).AssertFailed(ExitCodes.BadInput, expected);
    }

    private Task<ToolRun> BuildAsync(string path, params string[] more)
    {
        if (Directory.Exists(_folder["index"]))
            Directory.Delete(_folder["index"], recursive: true);
        return ToolRun.SucceedAsync(["build", "--base", path, "--out", _folder["index"], "--threads", "1", .. more]);
    }

    private Task<ToolRun> BuildFbinAsync()
    {
        File.WriteAllBytes(
            _folder["base.fbin"],
            [3, 0, 0, 0, 2, 0, 0, 0, .. MemoryMarshal.AsBytes<float>([.. _rows.Select(component => (float)component)])]);
        return BuildAsync(_folder["base.fbin"]);
    }

    private async Task AssertVectorsAsync(params ulong[] keys)
    {
        keys = keys.Length == 0 ? [0, 1, 2] : keys;
        await using VectorIndex index = await VectorIndex.OpenAsync(_folder["index"]);
        for (int i = 0; i < keys.Length; i++)
        {
            VectorRecord? record = await index.GetAsync(keys[i]);
            Assert.That(
                MemoryMarshal.Cast<byte, float>(record!.Bytes.Span).ToArray(), Is.EqualTo(new[] { (2 * i) + 1f, (2 * i) + 2f }));
        }
    }

    // The nearest row of each query.
    private async Task<uint[]> NearestAsync(string queries, string? vectors = null)
    {
        await ToolRun.SucceedAsync(
            "truth", "--base", vectors ?? _folder["base.fbin"], "--query", queries, "--out", _folder["truth.bin"], "-k", "1");
        GroundTruth truth = await GroundTruth.LoadAsync(_folder["truth.bin"]);
        return [.. Enumerable.Range(0, truth.Count).Select(query => truth.Ids(query)[0])];
    }
}
