// Builds an index, encrypts its pages where they lie, and searches it through a device that decrypts them.
//
//   dotnet run -c Release --project samples/EncryptedIndex [folder]
using System.Security.Cryptography;
using EncryptedIndex;
using VectorPipe;
using VectorPipe.Devices;

const int Dimension = 64;
const int Count = 1_000;
string folder = args.Length > 0 ? args[0] : Path.Combine(Path.GetTempPath(), "encrypted-index");
var random = new Random(1);
float[] vectors = [.. Enumerable.Range(0, Count * Dimension).Select(_ => random.NextSingle())];
await using (VectorSource source = VectorSource.FromMemory(vectors, Dimension))
    await VectorIndex.BuildAsync(folder, source, new BuildOptions { Metric = DistanceMetric.L2 });

// A key comes from where you keep keys, and never from beside the data.
byte[] key = RandomNumberGenerator.GetBytes(PageCipher.KeyLength);
using (var cipher = new PageCipher(key))
{
    // The manifest stays as it is: names, lengths and checksums, but no vector.
    byte[] page = new byte[PageCipher.PageLength];
    foreach (string path in Directory.EnumerateFiles(folder, "*.vp"))
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite);
        for (long number = 0; file.Position < file.Length; number++)
        {
            file.ReadExactly(page);
            cipher.Encrypt(page, number, PageCipher.NumberOf(path));
            file.Position -= page.Length;
            file.Write(page);
        }

        file.Flush(flushToDisk: true);
    }
}

VerifyReport plain = await VectorIndex.VerifyAsync(folder);
Console.WriteLine($"Without the key: {plain.Defects.Count} defects, such as {Path.GetFileName(plain.Defects[0])}");

EncryptedDevice Open(IReadOnlyList<string> paths) => new(DefaultDevice.Open(paths), paths, key);
VerifyReport report = await VectorIndex.VerifyAsync(folder, openDevice: Open);
Console.WriteLine($"With the key: {report.Pages} pages, {report.Defects.Count} defects");

await using VectorIndex index = await VectorIndex.OpenAsync(folder, new OpenOptions { OpenDevice = Open });
SearchResult result = await index.SearchAsync(vectors.AsSpan(42 * Dimension, Dimension), k: 5);
Console.WriteLine($"Neighbours of vector 42, {result.Statistics.Reads} reads:");
foreach (SearchHit hit in result)
    Console.WriteLine($"{hit.Key,6}  {hit.Score:F4}");
