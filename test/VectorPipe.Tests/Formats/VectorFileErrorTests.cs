using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

/// <summary>Every wrong file gives an error that names path, offset, expectation and finding.</summary>
public sealed class VectorFileErrorTests
{
    private static IEnumerable<TestCaseData> WrongFiles()
    {
        yield return Case("empty fbin", ".fbin", 0, "an empty file");
        yield return Case("empty npy", ".npy", 0, "an empty file");
        yield return Case("header cut", ".fbin", 5, "truncated", [1, 0, 0, 0, 1]);
        yield return Case("no rows", ".fbin", 0, "a count of 0", TestBytes.Int32(0, 4));
        yield return Case("negative count", ".u8bin", 0, "a count of -3", TestBytes.Int32(-3, 4));
        yield return Case("no dimension", ".fbin", 4, "found 0", TestBytes.Int32(3, 0));
        yield return Case("negative dimension", ".i8bin", 4, "found -1", TestBytes.Int32(3, -1));
        yield return Case("row beyond 2 GB", ".fbin", 4, "found 2147483647", TestBytes.Int32(1, int.MaxValue));
        yield return Case("rows cut", ".u8bin", 8 + 11, "truncated", TestBytes.Int32(3, 4), new byte[11]);
        yield return Case("rows beyond 64 bits of bytes", ".fbin", 8, "truncated", TestBytes.Int32(int.MaxValue, 500_000_000));
        yield return Case("trailing byte", ".u8bin", 8 + 12, "1 trailing bytes", TestBytes.Int32(3, 4), new byte[13]);
        yield return Case("another element size", ".fbin", 8 + 12, "truncated", TestBytes.Int32(3, 4), new byte[12]);

        yield return Case("prefix cut", ".fvecs", 3, "truncated", [1, 0, 0]);
        yield return Case("prefix zero", ".fvecs", 0, "found 0", TestBytes.Int32(0, 0));
        yield return Case("prefix negative", ".bvecs", 0, "found -2", TestBytes.Int32(-2), new byte[4]);
        yield return Case("first row cut", ".bvecs", 0, "7 bytes after row 0", TestBytes.Int32(4), new byte[3]);
        yield return Case("second row cut", ".fvecs", 8, "4 bytes after row 1", TestBytes.Int32(1, 7, 1));

        string good = TestBytes.NpyDescription("|u1", "(2, 3)");
        yield return Case("no magic", ".npy", 0, "4E554D50593F", "NUMPY??????????"u8.ToArray());
        yield return Case("npy version 4", ".npy", 6, "found 4.0", TestBytes.Npy(good, major: 4));
        yield return Case("npy version 1.1", ".npy", 6, "found 1.1", TestBytes.Npy(good, minor: 1));
        yield return Case("npy preamble cut", ".npy", 7, "truncated", TestBytes.Npy(good)[..7]);
        yield return Case("npy long preamble cut", ".npy", 11, "truncated", TestBytes.Npy(good, major: 2)[..11]);
        yield return Case("npy description cut", ".npy", 40, "truncated", TestBytes.Npy(good)[..40]);
        yield return Case("npy description huge", ".npy", 8, "found 4294967295", TestBytes.Npy(good, major: 2, length: uint.MaxValue));
        yield return Case("npy rows cut", ".npy", 10 + good.Length + 5, "truncated", TestBytes.Npy(good), new byte[5]);
        yield return Case("npy trailing", ".npy", 10 + good.Length + 6, "2 trailing bytes", TestBytes.Npy(good), new byte[8]);
        yield return Case("npy Fortran order", ".npy", null, "found Fortran order", Npy(TestBytes.NpyDescription("|u1", "(2, 3)", "True")));
        foreach (string type in (string[])["<f8", ">f4", "<i4", "<u2", "|b1", "", "<f4x"])
            yield return Case(
                $"npy of '{type}'", ".npy", null, "'<f4', '<f2', '|u1' or '|i1'", Npy(TestBytes.NpyDescription(type, "(2, 3)")));
        foreach (string shape in (string[])["(6,)", "()", "(1, 2, 3)"])
            yield return Case(
                $"npy of shape {shape}", ".npy", null, "a shape of 2 dimensions", Npy(TestBytes.NpyDescription("|u1", shape)));
        yield return Case("npy without rows", ".npy", null, "a count of 0", Npy(TestBytes.NpyDescription("|u1", "(0, 3)")));
        yield return Case("npy without columns", ".npy", null, "found 0", Npy(TestBytes.NpyDescription("|u1", "(2, 0)")));
        yield return Case(
            "npy of negative shape", ".npy", null, "a non-negative whole number", Npy(TestBytes.NpyDescription("|u1", "(-2, 3)")));
        yield return Case("npy of fractional shape", ".npy", null, "expected ')'", Npy(TestBytes.NpyDescription("|u1", "(2.0, 3)")));
        yield return Case(
            "npy beyond 64 bits", ".npy", null, "fits 64 bits", Npy(TestBytes.NpyDescription("|u1", "(9223372036854775808, 3)")));
        yield return Case(
            "npy bytes beyond 64 bits", ".npy", null, "truncated", Npy(TestBytes.NpyDescription("<f4", "(9223372036854775807, 3)")));
        yield return Case(
            "npy of structures", ".npy", null, "a quoted string",
            Npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3)}"));
        yield return Case("npy without shape", ".npy", null, "lacks one", Npy("{'descr': '<f4', 'fortran_order': False}"));
        yield return Case("npy with an unknown key", ".npy", null, "once each", Npy("{'descr': '<f4', 'colour': 'red'}"));
        yield return Case("npy with a key twice", ".npy", null, "once each", Npy("{'descr': '<f4', 'descr': '<f4'}"));
        yield return Case(
            "npy with trailing text", ".npy", null, "only white space", Npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)} x"));
        yield return Case("npy of an unclosed string", ".npy", null, "a closed string", Npy("{'descr"));
        yield return Case("npy without a dictionary", ".npy", null, "expected '{'", Npy("[1, 2]"));
        yield return Case("npy of an empty description", ".npy", 10, "found its end", TestBytes.Npy(""));

        static byte[] Npy(string description) => TestBytes.Npy(description);

        static TestCaseData Case(string name, string extension, long? offset, string says, params byte[][] parts) =>
            new TestCaseData(extension, offset, says, parts).SetArgDisplayNames(name);
    }

    [TestCaseSource(nameof(WrongFiles))]
    public async Task A_wrong_file_is_refused_when_it_is_opened(string extension, long? offset, string says, byte[][] parts)
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v" + extension, parts);

        VectorFormatException? error = await Assert.ThrowsAsync<VectorFormatException>(async () => await VectorFileReader.OpenAsync(path));

        Assert.That(
            error!.Message, Does.StartWith($"'{path}', byte {error.Offset}: expected ").And.Contains("; found ").And.Contains(says));
        Assert.That(error.Path, Is.EqualTo(path));
        if (offset is { } at)
            Assert.That(error.Offset, Is.EqualTo(at), error.Message);
    }

    [TestCase(".fvecs", 4)]
    [TestCase(".bvecs", 1)]
    public async Task A_row_of_another_dimension_is_refused_with_its_offset(string extension, int elementBytes)
    {
        using var folder = new TemporaryFolder();
        byte[] row = new byte[3 * elementBytes];
        string path = folder.Write("v" + extension, TestBytes.Int32(3), row, TestBytes.Int32(2), row);
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);

        VectorFormatException? error =
            await Assert.ThrowsAsync<VectorFormatException>(async () => await reader.ReadAsync(new byte[2 * row.Length]));

        Assert.That(error!.Offset, Is.EqualTo(4 + row.Length));
        Assert.That(error.Message, Does.Contain("expected dimension 3, as in the first row; found 2"));
    }

    [Test]
    public async Task A_file_cut_short_during_a_read_is_an_error()
    {
        if (OperatingSystem.IsWindows())
            Assert.Ignore("Windows does not truncate an open file.");
        using var folder = new TemporaryFolder();
        const int Rows = 1 << 20;
        string path = folder.Write("v.u8bin", TestBytes.Int32(Rows, 1), new byte[Rows]);
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        await using (var other = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
            other.SetLength(Rows / 2);

        Assert.That(
            async () => await reader.ReadAsync(new byte[Rows]),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains("cut short").And.Property("Offset").EqualTo(Rows / 2));
        Assert.That(async () => await reader.ReadAsync(new byte[Rows]), Throws.InvalidOperationException);
    }

    [TestCase("v.txt")]
    [TestCase("v")]
    [TestCase("v.ivecs")]
    public void An_extension_that_names_no_vector_format_is_refused(string name)
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write(name, TestBytes.Int32(1, 1));

        Assert.That(
            async () => await VectorFileReader.OpenAsync(path),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains(path).And.Message.Contains(
                $"extension '{Path.GetExtension(name)}'"));
    }

    [Test]
    public void A_missing_file_is_reported_by_the_frameworks_own_exception()
    {
        using var folder = new TemporaryFolder();
        string path = folder.File("missing.fbin");

        Assert.That(async () => await VectorFileReader.OpenAsync(path), Throws.TypeOf<FileNotFoundException>().With.Message.Contains(path));
    }

    [Test]
    public void A_folder_is_reported_by_the_frameworks_own_exception()
    {
        using var folder = new TemporaryFolder();
        string path = Directory.CreateDirectory(folder.File("folder.fbin")).FullName;

        Assert.That(
            async () => await VectorFileReader.OpenAsync(path),
            Throws.TypeOf<UnauthorizedAccessException>().With.Message.Contains(path));
    }

    [Test]
    [Category("OrdinaryUser")]
    public void A_file_that_may_not_be_read_is_reported_by_the_frameworks_own_exception()
    {
        if (OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess)
        {
            Assert.Ignore("This user may read every file.");
            return;
        }

        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(1, 1), [1]);
        File.SetUnixFileMode(path, UnixFileMode.None);

        Assert.That(
            async () => await VectorFileReader.OpenAsync(path),
            Throws.TypeOf<UnauthorizedAccessException>().With.Message.Contains(path));
    }
}
