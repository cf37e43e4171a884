using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Warnings go to standard error, information only with --verbose, results to standard output.</summary>
public sealed class LoggingTests
{
    private TempFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TempFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task A_build_warns_that_pages_hold_vectors_unrounded()
    {
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder[""], "--points", "300", "--queries", "1", "--dimension", "16", "--type", "float32", "-k", "1");
        byte[] vectors = await File.ReadAllBytesAsync(_folder["base.fbin"]);

        // Far beyond the range of float16.
        BitConverter.TryWriteBytes(vectors.AsSpan(8 + (16 * 4 * 100)), 1e6f);
        await File.WriteAllBytesAsync(_folder["base.fbin"], vectors);

        ToolRun run = await ToolRun.SucceedAsync("build", "--base", _folder["base.fbin"], "--out", _folder["index"], "--degree", "8");
        Assert.That(run.Error, Does.Contain("warning 210: "));
        Assert.That(run.Output, Does.Not.Contain("warning"));
        Assert.That(run.Error, Does.Not.Contain("info "));
    }

    [Test]
    public async Task An_import_warns_of_omitted_data()
    {
        TinyDiskAnn.Write(_folder["ann"]);
        await File.WriteAllTextAsync(_folder["ann_disk.index_labels.txt"], "1\n");
        ToolRun run = await ToolRun.SucceedAsync("import", "--prefix", _folder["ann"], "--out", _folder["index"]);
        Assert.That(run.Error, Does.Contain("warning 204: ").And.Contain("labels"));
    }

    [Test]
    public async Task Information_is_logged_only_with_verbose([Values] bool isVerbose)
    {
        TinyDiskAnn.Write(_folder["ann"]);
        string[] verbose = isVerbose ? ["--verbose"] : [];
        ToolRun import = await ToolRun.SucceedAsync(["import", "--prefix", _folder["ann"], "--out", _folder["index"], .. verbose]);
        ToolRun get = await ToolRun.SucceedAsync(["get", "--index", _folder["index"], "--key", "3", "--device", "portable", .. verbose]);
        Assert.That(import.Error.Contains("info 202: Published", StringComparison.Ordinal), Is.EqualTo(isVerbose), import.Error);
        Assert.That(get.Error.Contains("through the portable device", StringComparison.Ordinal), Is.EqualTo(isVerbose), get.Error);
    }

    [Test]
    public async Task Progress_goes_to_standard_error()
    {
        ToolRun run = await ToolRun.SucceedAsync(
            "generate", "--out", _folder[""], "--points", "100", "--queries", "1", "--dimension", "4", "-k", "1");
        Assert.That(run.Error, Does.Contain("base: 100 %"));
        Assert.That(run.Output, Does.Not.Contain(" % ("));
    }
}
