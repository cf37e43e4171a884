using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Crash;

/// <summary>A tiny index in a directory, and another that replaces it; their answers differ.</summary>
internal sealed class ReplacedIndex : IDisposable
{
    private const int FewVectors = 150;
    private const int Dimension = 32;
    private const int Queries = 8;
    private const int K = 5;
    private const int CalibrationQueries = 12;

    // Both indexes are built once for all tests.
    private static readonly ConcurrentDictionary<(long?, IndexKind, int), Lazy<(
        IReadOnlyDictionary<string, byte[]> Old, SearchHit[] OldHits, SearchHit[] NewHits)>> _built = new();

    private readonly TemporaryFolder _folder = new();
    private readonly Dictionary<(string Files, bool CleansUp), IndexOutcome> _examined = [];
    private readonly byte[] _oldRows;
    private readonly byte[] _newRows;
    private readonly byte[] _queries = Rows(3, Queries);
    private readonly long? _memoryBudget;
    private readonly IndexKind _kind;
    private readonly SearchHit[] _oldHits;
    private readonly SearchHit[] _newHits;

    /// <param name="memoryBudget">The memory budget of builds; null for none.</param>
    /// <param name="kind">The kind of the indexes.</param>
    /// <param name="count">Vectors; builds calibrate 1,000 and more.</param>
    public ReplacedIndex(long? memoryBudget = null, IndexKind kind = IndexKind.Graph, int count = FewVectors)
    {
        _oldRows = Rows(1, count);
        _newRows = Rows(2, count);
        _kind = kind;
        _memoryBudget = memoryBudget;
        (Old, _oldHits, _newHits) = _built.GetOrAdd((memoryBudget, kind, count), _ => new(BuildBoth)).Value;
        Restore(Old);
    }

    public string Directory => _folder.File("index");

    // Codes without a rotation are learned faster, and go into the same files.
    private BuildOptions Options => (_kind == IndexKind.Graph
        ? BuildOptionsTuning.SmallGraph(degree: 8, listSize: 16, codeBytes: 4).Tuned(tuning => tuning with { Code = CodeKind.Pq })
        : new BuildOptions
        {
            Ivf = new IvfBuild { Lists = 10, Coded = true },
            Tuning = new BuildTuning { CodeBytes = 4, Code = CodeKind.Pq },
        }) with
    {
        Threads = 1,
        MemoryBudget = _memoryBudget,
    };

    private SearchOptions SearchOptions => _kind == IndexKind.Ivf
        ? new() { Ivf = new IvfSearch { Rerank = 20 } }
        : new() { Graph = new GraphSearch { ListSize = 20, BeamWidth = 1 }, Mode = SearchMode.Beam };

    /// <summary>The files of the old index.</summary>
    public IReadOnlyDictionary<string, byte[]> Old { get; }

    /// <summary>Builds the new index into the directory.</summary>
    public void Build(IStorageIo? io = null) => Build(NewVectors(), io ?? new UnsyncedStorageIo(refuses: false));

    /// <summary>The vectors of the new index.</summary>
    public VectorSource NewVectors() => VectorSource.FromMemory<byte>(_newRows, Dimension);

    /// <summary>Builds an index of the vectors into the directory.</summary>
    public void Build(VectorSource source, IStorageIo io) => Build(source, io, null, CancellationToken.None);

    /// <summary>Builds an index of the vectors into the directory.</summary>
    public void Build(VectorSource source, IStorageIo io, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        new VectorIndexBuilder(Directory, Options, null, io) { CalibrationQueries = CalibrationQueries }.BuildAsync(
            source, progress, cancellationToken).GetAwaiter().GetResult();
    }

    /// <summary>The plan of a build of the new index.</summary>
    public BuildPlan Plan() => new VectorIndexBuilder(Directory, Options).Plan(NewVectors());

    /// <summary>The names and bytes of the files in the directory; empty if there is no directory.</summary>
    public Dictionary<string, byte[]> Snapshot() => System.IO.Directory.Exists(Directory)
        ? System.IO.Directory.EnumerateFiles(Directory).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes)
        : [];

    /// <summary>Makes the directory hold exactly these files; without files it removes the directory.</summary>
    public void Restore(IReadOnlyDictionary<string, byte[]> files)
    {
        if (System.IO.Directory.Exists(Directory))
            System.IO.Directory.Delete(Directory, recursive: true);
        if (files.Count > 0)
            Fill(files);
    }

    /// <summary>Makes the directory hold exactly these files; null removes the directory.</summary>
    public void RestoreDirectory(IReadOnlyDictionary<string, byte[]>? files)
    {
        Restore(files ?? new Dictionary<string, byte[]>());
        if (files is { Count: 0 })
            System.IO.Directory.CreateDirectory(Directory);
    }

    private void Fill(IReadOnlyDictionary<string, byte[]> files)
    {
        System.IO.Directory.CreateDirectory(Directory);
        foreach ((string name, byte[] bytes) in files)
            File.WriteAllBytes(Path.Combine(Directory, name), bytes);
    }

    /// <summary>Examines files. Only they decide the outcome, so equal files are examined once.</summary>
    /// <param name="files">The files of the directory; null for no directory.</param>
    /// <param name="context">The origin of the files, for failure messages.</param>
    /// <param name="cleansUp">Whether one of the two indexes must exist, and the next writer must keep it when it cleans up.</param>
    public IndexOutcome ExamineOnce(IReadOnlyDictionary<string, byte[]>? files, string context, bool cleansUp = false)
    {
        (string Files, bool CleansUp) key = (KeyOf(files), cleansUp);
        if (_examined.TryGetValue(key, out IndexOutcome outcome))
            return outcome;
        RestoreDirectory(files);
        outcome = Examine(context);
        if (cleansUp)
        {
            Assert.That(outcome, Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            AssertNextWriterCleansUp(outcome, context);
        }

        return _examined[key] = outcome;
    }

    /// <summary>Opens, searches and verifies the index in the directory. An answer of neither index fails the test.</summary>
    public IndexOutcome Examine(string context)
    {
        // A case of a campaign has ended.
        HangBound.Current?.Restart();
        try
        {
            SearchHit[] hits = Search();
            bool old = hits.AsSpan().SequenceEqual(_oldHits);
            if (!old && !hits.AsSpan().SequenceEqual(_newHits))
                Assert.Fail($"Expected an answer of the old or the new index, found another: {context}");
            foreach (string defect in VectorIndex.VerifyAsync(Directory, openDevice: InMemory).GetAwaiter().GetResult().Defects)
            {
                TestContext.Out.WriteLine($"{defect} {context}");
                return IndexOutcome.Corrupt;
            }

            return old ? IndexOutcome.Old : IndexOutcome.New;
        }
        catch (IndexNotFoundException)
        {
            return IndexOutcome.None;
        }
        catch (IndexCorruptException)
        {
            return IndexOutcome.Corrupt;
        }
    }

    /// <summary>Asserts that the directory holds nothing that the manifest does not name.</summary>
    public void AssertNoLeftovers(string context)
    {
        string[] named =
            [.. IndexDirectory.ReadManifest(Directory).Files.Select(file => file.Name), IndexDirectory.ManifestName, WriteLock.Name];
        Assert.That(System.IO.Directory.EnumerateFiles(Directory).Select(Path.GetFileName), Is.SubsetOf(named), context);
    }

    /// <summary>Asserts that a writer first cleans up, and that the index stays the same.</summary>
    public void AssertNextWriterCleansUp(IndexOutcome outcome, string context)
    {
        var writer = new GenerationWriter(Directory, new UnsyncedStorageIo(refuses: false), NullLogger.Instance);
        Assert.That(
            () =>
            writer.WriteAsync<bool>(_ => throw new ProcessDeathException("The writer ends before its work.")).GetAwaiter().GetResult(),
            Throws.TypeOf<ProcessDeathException>(),
            context);
        AssertNoLeftovers(context);
        uint generation = IndexDirectory.ReadManifest(Directory).Generation;
        Assert.That(generation, outcome == IndexOutcome.Old ? Is.EqualTo(1) : Is.GreaterThan(1), context);
    }

    public void Dispose() => _folder.Dispose();

    // Files as small as these are read faster than a queue to a device is opened.
    private static IDevice InMemory(IReadOnlyList<string> paths) =>
        DeviceFactory.Open(paths, new DeviceOptions { Kind = DeviceKind.Memory }, NullLogger.Instance);

    private static string KeyOf(IReadOnlyDictionary<string, byte[]>? files)
    {
        if (files is null)
            return "no directory";
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach ((string name, byte[] bytes) in files.OrderBy(file => file.Key, StringComparer.Ordinal))
        {
            hash.AppendData(Encoding.UTF8.GetBytes($"{name} {bytes.Length} "));
            hash.AppendData(bytes);
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }

    private static byte[] Rows(int seed, int count)
    {
        byte[] rows = new byte[count * Dimension];
        new Random(seed).NextBytes(rows);
        return rows;
    }

    private (IReadOnlyDictionary<string, byte[]> Old, SearchHit[] OldHits, SearchHit[] NewHits) BuildBoth()
    {
        Build(VectorSource.FromMemory<byte>(_oldRows, Dimension), new UnsyncedStorageIo(refuses: false));
        Dictionary<string, byte[]> old = Snapshot();
        SearchHit[] oldHits = Search();
        Build();
        SearchHit[] newHits = Search();
        Assert.That(newHits, Is.Not.EqualTo(oldHits), "the answers of the two indexes differ");
        return (old, oldHits, newHits);
    }

    private SearchHit[] Search()
    {
        using VectorIndex index =
            VectorIndex.Open(Directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory }, QueriesInFlight = 1 });
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[Queries * K];
        session.SearchMany<byte>(_queries, K, hits, [], SearchOptions);
        return hits;
    }
}
