using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Crash;

/// <summary>A build is killed, cancelled or fails, and a later one goes on from what it has kept.</summary>
[Platform("Linux")]
public sealed class ResumedBuildTests
{
    private const int Count = 2000;
    private const int Dimension = 16;
    private const int Snapshots = 4;
    private const int CalibrationQueries = 12;
    private const string KeepPhase = "graph: keep";

    // Its beginning and its end.
    private const int ReportsOfKeep = 2;

    // A phase whose result each snapshot is the first to have.
    private static readonly string[] _first = ["graph: leaves", "graph: refine", "graph: merge", "graph: check"];

    private TemporaryFolder _folder = null!;
    private Dictionary<string, byte[]> _whole = [];

    private string Index => _folder.File("index");

    private string Kept => IndexDirectory.SnapshotPath(Index);

    [OneTimeSetUp]
    public async Task BuildWholeAsync()
    {
        using var folder = new TemporaryFolder();
        _folder = folder;
        await BuildAsync(Options with { Resume = false });
        _whole = Files();
    }

    [SetUp]
    public void Begin() => _folder = new TemporaryFolder();

    [TearDown]
    public void End() => _folder.Dispose();

    [Test]
    [Spread]
    public async Task A_build_that_was_cancelled_goes_on_behind_each_snapshot([Range(1, Snapshots)] int snapshot, [Values] bool hadBudget)
    {
        BuildOptions first = Options with { MemoryBudget = hadBudget ? 64L << 20 : null };
        await CancelAsync(first, snapshot);
        Assert.That(Files().Keys, Is.EqualTo(new[] { Path.GetFileName(Kept) }), "what was kept, and nothing else");

        // Threads and budget are others.
        BuildReport report = await BuildAsync(Options with { Threads = 2, MemoryBudget = hadBudget ? null : 64L << 20 });
        string[] phases = [.. report.Phases.Select(phase => phase.Name)];
        Assert.Multiple(() =>
        {
            Assert.That(phases.Count(name => name == KeepPhase), Is.EqualTo(Snapshots - snapshot));
            for (int i = 0; i < Snapshots; i++)
                Assert.That(phases.Contains(_first[i]), Is.EqualTo(i >= snapshot), _first[i]);
            AssertWhole("the same as of a build that was not interrupted");
            Assert.That(report.FoundThemselves, Is.GreaterThan(0.9));
            Assert.That(report.MeanDegree, Is.GreaterThan(1));
        });
    }

    /// <summary>Lets the process die at one operation after another.</summary>
    /// <param name="death">How it dies.</param>
    /// <param name="every">One in this many operations: each of them in the heavy cases.</param>
    [TestCase(StorageFault.Death, 41)]
    [TestCase(StorageFault.DeathInWrite, 43)]
    [TestCase(StorageFault.Death, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 1, Category = "Heavy")]
    public async Task A_build_that_died_anywhere_is_taken_up_and_gives_the_same(StorageFault death, int every)
    {
        var counter = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
        await BuildAsync(Options, counter);
        int goneOn = 0;
        for (int k = every / 2; k < counter.Operations; k += every)
        {
            HangBound.Current?.Restart();
            Directory.Delete(Index, recursive: true);
            await Assert.CatchAsync(() => BuildAsync(Options, new FaultyStorageIo(death, k)));
            bool isPublished = File.Exists(Path.Combine(Index, IndexDirectory.ManifestName)), isKept = File.Exists(Kept);
            if (!isPublished)
            {
                BuildReport report = await BuildAsync(Options);
                bool isTakenUp = report.Phases.All(phase => phase.Name != _first[0]);
                Assert.That(isTakenUp, Is.EqualTo(isKept), $"operation {k}");
                goneOn += isTakenUp ? 1 : 0;
            }

            Dictionary<string, byte[]> files = Files();
            foreach ((string name, byte[] bytes) in _whole)
                Assert.That(files.GetValueOrDefault(name).AsSpan().SequenceEqual(bytes), $"operation {k}: {name}");
        }

        Assert.That(goneOn, Is.Positive);
    }

    [TestCase(100L)]
    [TestCase(60_000L, Category = "Heavy")]
    [TestCase(-4088L)]
    [TestCase(0L, Description = "cut in half")]
    public async Task What_was_kept_and_is_damaged_is_not_taken_up(long at)
    {
        await CancelAsync(Options, Snapshots - 1);
        byte[] bytes = File.ReadAllBytes(Kept);
        if (at == 0)
            bytes = bytes[..(bytes.Length / 2)];
        else
            bytes[at > 0 ? at : bytes.Length + at] ^= 1;
        File.WriteAllBytes(Kept, bytes);
        var logging = new RecordingLogger();

        BuildReport report = await BuildAsync(Options, logger: logging);
        Assert.Multiple(() =>
        {
            Assert.That(report.Phases.Select(phase => phase.Name), Does.Contain(_first[0]));
            AssertWhole("begun anew");
            Assert.That(logging.Messages, Has.Some.Contains("begins anew"));
        });
    }

    [Test]
    public async Task Another_build_begins_anew_and_keeps_nothing_of_the_first([Values] bool isOther)
    {
        await CancelAsync(Options, Snapshots);
        var logging = new RecordingLogger();
        BuildReport report = await BuildAsync(isOther ? Options with { Seed = 2 } : Options with { Resume = false }, logger: logging);
        Assert.Multiple(() =>
        {
            Assert.That(report.Phases.Select(phase => phase.Name), Does.Contain(_first[0]));
            Assert.That(File.Exists(Kept), Is.False);
            Assert.That(Files(), isOther ? Is.Not.EqualTo(_whole) : Is.EqualTo(_whole));
            Assert.That(logging.Messages.Any(message => message.Contains("is of other vectors")), Is.EqualTo(isOther));
        });
    }

    [Test]
    public async Task A_plan_counts_what_is_kept()
    {
        await using VectorSource source = Vectors();
        BuildPlan plain = VectorIndex.PlanBuild(source, Options with { Resume = false });
        BuildPlan kept = VectorIndex.PlanBuild(source, Options);
        Assert.That(kept.ScratchBytes - plain.ScratchBytes, Is.GreaterThan(2L * Count * sizeof(int)));
        Assert.That(kept.Phases.Count(phase => phase.Name == KeepPhase), Is.EqualTo(Snapshots));
    }

    [Test]
    public async Task It_is_refused_where_there_is_nothing_to_keep()
    {
        ArgumentOutOfRangeException? error = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => BuildAsync(new BuildOptions { Resume = true, Ivf = new IvfBuild() }));
        Assert.That(error!.ParamName, Is.EqualTo(nameof(BuildOptions.Resume)));
        NotSupportedException? refused = await Assert.ThrowsAsync<NotSupportedException>(() => VectorCollection<int>.OpenAsync(
            _folder.File("collection"), new CollectionSchema { Dimension = 4 },
            new CollectionOptions { Build = new BuildOptions { Resume = true } }));
        Assert.That(refused!.Message, Does.Contain(nameof(BuildOptions.Resume)));
    }

    // Codes without a rotation are learned faster.
    private static BuildOptions Options =>
        BuildOptionsTuning.SmallGraph(degree: 8, listSize: 16, codeBytes: 4).Tuned(tuning => tuning with { Code = CodeKind.Pq }) with
        {
            Threads = 1,
            Resume = true,
        };

    private static VectorSource Vectors()
    {
        byte[] rows = new byte[Count * Dimension];
        new Random(1).NextBytes(rows);
        return VectorSource.FromMemory<byte>(rows, Dimension);
    }

    private async Task<BuildReport> BuildAsync(
        BuildOptions options, IStorageIo? io = null, IProgress<BuildProgress>? progress = null, RecordingLogger? logger = null,
        CancellationToken cancellationToken = default)
    {
        await using VectorSource source = Vectors();
        using OneLoggerFactory? logging = logger is null ? null : new OneLoggerFactory(logger);
        var builder = new VectorIndexBuilder(Index, options, logging, io ?? new UnsyncedStorageIo(refuses: false))
        {
            CalibrationQueries = CalibrationQueries,
        };
        return await builder.BuildAsync(source, progress, cancellationToken);
    }

    private async Task CancelAsync(BuildOptions options, int snapshot)
    {
        using var cancellation = new CancellationTokenSource();
        var progress = new HookedProgress(KeepPhase, (ReportsOfKeep * snapshot) - 1, cancellation.Cancel);
        await Assert.CatchAsync<OperationCanceledException>(
            () => BuildAsync(options, progress: progress, cancellationToken: cancellation.Token));
        Assert.That(File.Exists(Kept));
    }

    private void AssertWhole(string when)
    {
        Dictionary<string, byte[]> files = Files();
        Assert.That(files.Keys, Is.EquivalentTo(_whole.Keys), when);
        foreach ((string name, byte[] bytes) in _whole)
            Assert.That(files[name].AsSpan().SequenceEqual(bytes), $"{when}: {name}");
    }

    private Dictionary<string, byte[]> Files() =>
        Directory.EnumerateFiles(Index).Where(path => Path.GetFileName(path) != WriteLock.Name)
        .ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);
}
