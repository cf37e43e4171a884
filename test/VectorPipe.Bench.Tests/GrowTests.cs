using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Tests;

public sealed class GrowTests
{
    private const int Points = 1200;
    private const int Dimension = 16;
    private const int Clusters = 30;

    private readonly TempFolder _folder = new();

    [OneTimeSetUp]
    public Task WriteAsync() => RowFile.WriteAsync(
        _folder["base.u8bin"], VectorElementType.UInt8, Dimension, Points, (row, number) => Fill(row.Span, number), "", null, default);

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task The_vectors_come_first_and_each_new_one_lies_near_one_of_them()
    {
        VectorMatrix grown = await GrowAsync("grown.u8bin", 3000);
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", _folder["base.u8bin"], default);
        Assert.That((grown.Count, grown.Dimension), Is.EqualTo((3000, Dimension)));
        Assert.That(grown.Bytes.AsSpan(0, vectors.Bytes.Length).SequenceEqual(vectors.Bytes), Is.True, "the vectors of the base");

        // A vector and its near neighbours are of one cluster, and so is what lies between them.
        var rows = new HashSet<string>();
        for (int i = Points; i < grown.Count; i++)
        {
            Assert.That(DistanceOf(grown.Row(i), vectors.Row(i % Points)), Is.LessThan(40 * 40), $"row {i}");
            Assert.That(rows.Add(Convert.ToHexString(grown.Row(i))), Is.True, $"row {i} is another one");
        }
    }

    [Test]
    public async Task The_same_seed_gives_the_same_file_and_fewer_points_its_beginning()
    {
        VectorMatrix first = await GrowAsync("first.u8bin", 2500), second = await GrowAsync("second.u8bin", 2500);
        Assert.That(second.Bytes, Is.EqualTo(first.Bytes));
        Assert.That((await GrowAsync("fewer.u8bin", 2000)).Bytes, Is.EqualTo(first.Bytes[..(2000 * Dimension)]));
        Assert.That((await GrowAsync("other.u8bin", 2500, "--seed", "5")).Bytes, Is.Not.EqualTo(first.Bytes));
    }

    [TestCase("--points", "1200", "more than the base has")]
    [TestCase("--out", "grown.fbin", ".u8bin")]
    [TestCase("--noise", "-1", "0 to 10")]
    [TestCase("--rate", "5", "no pace")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        string[] options = [.. ArgumentsOf(_folder["none.u8bin"], 2000)];
        int at = Array.IndexOf(options, option);
        (await BenchProcess.RunAsync(at < 0 ? [.. options, option, value] : [.. options[..(at + 1)], value, .. options[(at + 2)..]]))
            .AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(File.Exists(_folder["none.u8bin"]), Is.False);
    }

    private static void Fill(Span<byte> row, int number)
    {
        var centre = new Random(number % Clusters);
        var random = new Random(Clusters + number);
        foreach (ref byte component in row)
            component = (byte)(centre.Next(20, 236) + random.Next(-5, 6));
    }

    private static int DistanceOf(ReadOnlySpan<byte> x, ReadOnlySpan<byte> y)
    {
        int sum = 0;
        for (int i = 0; i < x.Length; i++)
            sum += (x[i] - y[i]) * (x[i] - y[i]);
        return sum;
    }

    private string[] ArgumentsOf(string output, int points) =>
        ["grow", "--base", _folder["base.u8bin"], "--out", output, "--points", $"{points}", "--index", _folder["index"], "--quiet"];

    private async Task<VectorMatrix> GrowAsync(string name, int points, params string[] more)
    {
        BenchProcess run = await BenchProcess.RunAsync([.. ArgumentsOf(_folder[name], points), .. more]);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        return await VectorMatrix.LoadAsync("--base", _folder[name], default);
    }
}
