using PackageConsumer;
using VectorPipe;

// Checks the packages of a folder, then builds and searches an index with the library of one of them and a store with that of another,
// and prints the hits.
string[] defects = [.. args.SelectMany(PackageCheck.DefectsOf)];
foreach (string defect in defects)
    Console.Error.WriteLine(defect);
if (args.Length == 0 || defects.Length > 0)
    return 1;

const int count = 2000, dimension = 16, k = 5;
var random = new Random(1);
float[] vectors = new float[count * dimension];
for (int i = 0; i < vectors.Length; i++)
    vectors[i] = random.NextSingle();

string directory = Directory.CreateTempSubdirectory("vectorpipe-package-").FullName;
try
{
    string path = Path.Combine(directory, "index");
    await VectorIndex.BuildAsync(path, VectorSource.FromMemory<float>(vectors, dimension));
    using VectorIndex index = VectorIndex.Open(path);
    ReadOnlyMemory<float> query = vectors.AsMemory(7 * dimension, dimension);
    SearchResult result = await index.SearchAsync(query, k);
    foreach (SearchHit hit in result)
        Console.WriteLine($"key {hit.Key}, score {hit.Score}");
    bool isFound = result.Count == k && result[0].Key == 7;
    string? title = await Books.FindAsync(Path.Combine(directory, "store"));
    Console.WriteLine($"book {title}");
    return isFound && title == "Moby-Dick" ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}
