using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class GenerateTests
{
    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task The_same_seed_gives_the_same_files()
    {
        await GenerateAsync("one", "--seed", "5");
        await GenerateAsync("two", "--seed", "5");
        foreach (string part in new[] { "base.u8bin", "query.u8bin", "truth.bin" })
            Assert.That(
                await File.ReadAllBytesAsync(_folder[$"two.{part}"]), Is.EqualTo(await File.ReadAllBytesAsync(_folder[$"one.{part}"])),
                part);
    }

    [Test]
    public async Task Another_seed_gives_other_vectors()
    {
        await GenerateAsync("seed1", "--seed", "1");
        await GenerateAsync("seed2", "--seed", "2");
        Assert.That(
            await File.ReadAllBytesAsync(_folder["seed2.base.u8bin"]),
            Is.Not.EqualTo(await File.ReadAllBytesAsync(_folder["seed1.base.u8bin"])));
    }

    [TestCase("uint8", ".u8bin", VectorElementType.UInt8)]
    [TestCase("int8", ".i8bin", VectorElementType.Int8)]
    [TestCase("float32", ".fbin", VectorElementType.Float32)]
    [TestCase("float16", ".npy", VectorElementType.Float16)]
    public async Task Every_type_has_its_file_format(string type, string extension, VectorElementType expected)
    {
        string folder = _folder[type] + Path.DirectorySeparatorChar;
        await ToolRun.SucceedAsync(
            "generate", "--out", folder, "--points", "50", "--queries", "4", "--dimension", "8", "--type", type, "-k", "5");
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(Path.Combine(folder, "base" + extension));
        Assert.That((reader.ElementType, reader.Dimension, reader.Count), Is.EqualTo((expected, 8, 50L)));
    }

    [TestCase("l2")]
    [TestCase("ip")]
    [TestCase("cosine")]
    public async Task Truth_finds_the_same_neighbours_as_generate(string metric)
    {
        await GenerateAsync(metric, "--metric", metric);
        await ToolRun.SucceedAsync(
            "truth", "--base", _folder[$"{metric}.base.u8bin"], "--query", _folder[$"{metric}.query.u8bin"],
            "--out", _folder[$"{metric}.again.bin"], "-k", "10", "--metric", metric, "--threads", "3");
        Assert.That(
            await File.ReadAllBytesAsync(_folder[$"{metric}.again.bin"]),
            Is.EqualTo(await File.ReadAllBytesAsync(_folder[$"{metric}.truth.bin"])));
    }

    [Test]
    public async Task Truth_without_room_for_distances_holds_the_ids()
    {
        await GenerateAsync("ids");
        await ToolRun.SucceedAsync(
            "truth", "--base", _folder["ids.base.u8bin"], "--query", _folder["ids.query.u8bin"], "--out", _folder["ids.ivecs"], "-k", "10");
        GroundTruth full = await GroundTruth.LoadAsync(_folder["ids.truth.bin"]);
        GroundTruth idsOnly = await GroundTruth.LoadAsync(_folder["ids.ivecs"]);
        Assert.That(idsOnly.Ids(3).ToArray(), Is.EqualTo(full.Ids(3).ToArray()));
    }

    private Task<ToolRun> GenerateAsync(string prefix, params string[] more) => ToolRun.SucceedAsync(
        ["generate", "--out", _folder[prefix], "--points", "500", "--queries", "12", "--dimension", "16", "--clusters", "9", "-k", "10",
        .. more]);
}
