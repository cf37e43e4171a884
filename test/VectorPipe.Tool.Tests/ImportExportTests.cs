using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class ImportExportTests
{
    private TempFolder _folder = null!;

    [SetUp]
    public void WriteFiles()
    {
        _folder = new TempFolder();
        TinyDiskAnn.Write(_folder["ann"]);
    }

    [TearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task An_import_reports_its_index_and_verifies()
    {
        ToolRun run = await ToolRun.SucceedAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"]);
        Assert.That(
            run.Output,
            Does.Contain("20 points of dimension 4 (Float32)").And.Contain("note: The index was written by the C++ program of DiskANN."));
        await ToolRun.SucceedAsync("verify", "--index", _folder["index"]);
    }

    [Test]
    public async Task An_export_returns_the_imported_data()
    {
        await ToolRun.SucceedAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"], "--type", "float32");
        ToolRun run = await ToolRun.SucceedAsync("export", "--index", _folder["index"], "--out", _folder["out"]);
        Assert.That(
            run.Output,
            Does.Contain(_folder["out.vectors.fbin"]).And.Contain(_folder["out.keys.npy"]).And.Contain(_folder["out.graph.bin"]));
        byte[] vectors = await File.ReadAllBytesAsync(_folder["out.vectors.fbin"]);
        Assert.That(vectors, Has.Length.EqualTo(8 + (TinyDiskAnn.Count * 16)));
        Assert.That(BitConverter.ToSingle(vectors, 8 + (16 * 13) + 8), Is.EqualTo(TinyDiskAnn.Component(13, 2)));
        Assert.That(new FileInfo(_folder["out.graph.bin"]).Length, Is.EqualTo(24 + (TinyDiskAnn.Count * 12)));
    }

    [TestCase("--metric", "l3", "l2, ip, cosine")]
    [TestCase("--metric", "ip", "C++")]
    [TestCase("--metric", "cosine", "unit length")]
    [TestCase("--type", "int4", "uint8, int8, float32, float16")]
    [TestCase("--type", "uint8", "neighbours")]
    public async Task Import_refuses_options_that_the_files_contradict(string option, string value, string expected)
    {
        ToolRun run = await ToolRun.RunAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"], option, value);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(Directory.Exists(_folder["index"]), Is.False);
    }

    [Test]
    public async Task A_missing_prefix_cannot_be_read() =>
        (await ToolRun.RunAsync("import", "--prefix", _folder["none"], "--out", _folder["index"]))
        .AssertFailed(ExitCodes.CannotReadOrWrite, "none_disk.index");

    [Test]
    public async Task A_malformed_file_is_bad_input()
    {
        await File.WriteAllBytesAsync(_folder["ann_disk.index"], new byte[5000]);
        (await ToolRun.RunAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"]))
            .AssertFailed(ExitCodes.BadInput, "ann_disk.index");
    }

    [Test]
    public async Task A_folder_without_an_index_cannot_be_exported() =>
        (await ToolRun.RunAsync("export", "--index", _folder["index"], "--out", _folder["out"]))
        .AssertFailed(ExitCodes.CannotReadOrWrite, "index");

    [Test]
    public async Task An_export_into_a_missing_folder_is_refused()
    {
        await ToolRun.SucceedAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"]);
        (await ToolRun.RunAsync("export", "--index", _folder["index"], "--out", _folder["missing/out"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "missing");
    }
}
