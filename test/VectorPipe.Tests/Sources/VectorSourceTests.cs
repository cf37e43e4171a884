using NUnit.Framework;
using VectorPipe.Exporting;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Sources;

/// <summary>Every source delivers vectors with their keys to a build.</summary>
internal sealed class VectorSourceTests
{
    private const int Count = 300;
    private const int Dimension = 8;

    private static readonly float[] _rows = Rows();
    private static readonly ulong[] _keys = [.. Enumerable.Range(0, Count).Select(i => 1000 + (3 * (ulong)i))];

    [Test]
    public async Task An_array_needs_no_type_argument()
    {
        await using VectorSource source = VectorSource.FromMemory(_rows, Dimension, _keys);
        Assert.That(await DrainAsync(source), Is.EqualTo((_rows, _keys)).Using<(float[], ulong[])>(AreEqual));
    }

    [Test]
    public async Task A_file_of_keys_goes_with_a_file_of_vectors()
    {
        using var folder = new TemporaryFolder();
        string vectors = await WriteVectorsAsync(folder);
        await using (var keys = new KeyFileWriter(folder.File("keys.npy"), Count))
        {
            await keys.WriteAsync(_keys, CancellationToken.None);
            StagedFile.PublishAll([await keys.FinishAsync(CancellationToken.None)]);
        }

        await using VectorSource source = await VectorSource.OpenFileAsync(vectors, folder.File("keys.npy"));
        Assert.That(await DrainAsync(source), Is.EqualTo((_rows, _keys)).Using<(float[], ulong[])>(AreEqual));
    }

    [Test]
    public async Task A_file_of_too_few_keys_is_refused()
    {
        using var folder = new TemporaryFolder();
        string vectors = await WriteVectorsAsync(folder);
        await using (var keys = new KeyFileWriter(folder.File("keys.npy"), Count - 1))
        {
            await keys.WriteAsync(_keys.AsSpan(1), CancellationToken.None);
            StagedFile.PublishAll([await keys.FinishAsync(CancellationToken.None)]);
        }

        Assert.That(
            () => VectorSource.OpenFileAsync(vectors, folder.File("keys.npy")),
            Throws.InstanceOf<VectorFormatException>().With.Message.Contains("300 keys"));
        Assert.That(() => VectorSource.OpenFileAsync(vectors, vectors), Throws.InstanceOf<VectorFormatException>());
    }

    [Test]
    public async Task A_stream_of_known_length_is_read_directly()
    {
        await using VectorSource source = VectorSource.FromAsyncEnumerable(StreamAsync(), Dimension, Count);
        Assert.That(source.Count, Is.EqualTo(Count));
        Assert.That(await DrainAsync(source), Is.EqualTo((_rows, _keys)).Using<(float[], ulong[])>(AreEqual));
    }

    [Test]
    public async Task A_stream_of_unknown_length_is_stored_until_the_source_is_disposed()
    {
        using var folder = new TemporaryFolder();
        await using (VectorSource source = await VectorSource.FromAsyncEnumerableAsync(StreamAsync(), Dimension, folder.Path))
        {
            Assert.That(
                (source.Count, source.Dimension, source.ElementType), Is.EqualTo(((long)Count, Dimension, VectorElementType.Float32)));
            Assert.That(await DrainAsync(source), Is.EqualTo((_rows, _keys)).Using<(float[], ulong[])>(AreEqual));
        }

        Assert.That(Directory.GetFiles(folder.Path), Is.Empty);
    }

    [Test]
    public async Task A_vector_of_another_length_is_refused_with_its_row()
    {
        await using VectorSource source = VectorSource.FromAsyncEnumerable(StreamAsync(), Dimension + 1, Count);
        Assert.That(() => DrainAsync(source), Throws.InstanceOf<InvalidVectorException>().With.Property("Row").EqualTo(0L));
    }

    [Test]
    public async Task A_stream_that_ends_early_fails_the_build()
    {
        using var folder = new TemporaryFolder();
        await using VectorSource source = VectorSource.FromAsyncEnumerable(StreamAsync(), Dimension, Count + 1);
        Assert.That(
            () => new VectorIndexBuilder(folder.File("index")).BuildAsync(source),
            Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("301"));
    }

    private static float[] Rows()
    {
        var random = new Random(17);
        return [.. Enumerable.Range(0, Count * Dimension).Select(_ => random.NextSingle())];
    }

    private static bool AreEqual((float[] Rows, ulong[] Keys) found, (float[] Rows, ulong[] Keys) expected) =>
        found.Rows.AsSpan().SequenceEqual(expected.Rows) && found.Keys.AsSpan().SequenceEqual(expected.Keys);

    private static async Task<string> WriteVectorsAsync(TemporaryFolder folder)
    {
        string path = folder.File("vectors.fbin");
        byte[] head = [.. BitConverter.GetBytes(Count), .. BitConverter.GetBytes(Dimension)];
        await File.WriteAllBytesAsync(path, [.. head, .. System.Runtime.InteropServices.MemoryMarshal.AsBytes(_rows.AsSpan())]);
        return path;
    }

    private static async IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<float>>> StreamAsync()
    {
        for (int i = 0; i < Count; i++)
        {
            if (i % 50 == 0)
                await Task.Yield();
            yield return new(_keys[i], _rows.AsMemory(i * Dimension, Dimension));
        }
    }

    private static async Task<(float[] Rows, ulong[] Keys)> DrainAsync(VectorSource source)
    {
        // Delivers an odd number of rows at a time.
        byte[] rows = new byte[7 * source.Dimension * sizeof(float)];
        ulong[] keys = new ulong[7];
        List<float> allRows = [];
        List<ulong> allKeys = [];
        while (await source.ReadAsync(rows, keys) is var read and > 0)
        {
            allRows.AddRange(
                System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(rows.AsSpan(0, read * source.Dimension * sizeof(float))));
            allKeys.AddRange(keys.AsSpan(0, read));
        }

        return ([.. allRows], [.. allKeys]);
    }
}
