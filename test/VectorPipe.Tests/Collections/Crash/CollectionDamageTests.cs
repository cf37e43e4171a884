using NUnit.Framework;
using VectorPipe.Collections.Manifests;
using VectorPipe.Storage.Log;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>A log that ends early is a shorter history; damage before its end, or of the manifest, is an error.</summary>
[TestFixture]
public sealed class CollectionDamageTests
{
    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

    private readonly CollectionDirectory _folder = new();
    private readonly CrashHistory _history = new();
    private readonly List<(uint Segment, int Block, int State)> _groups = [];
    private Dictionary<string, byte[]> _files = [];
    private LogPosition _start;
    private LogPosition _end;

    /// <summary>A generation, and a log above it that goes through some segments.</summary>
    [OneTimeSetUp]
    public async Task WriteCollection()
    {
        await using (VectorCollection<ulong> collection = await OpenAsync())
        {
            for (int version = 1; version <= 40; version++)
            {
                int key = version % 13;
                _history.Begin(_history.Current.SetItem(key, version));
                await _records.UpsertAsync(collection, key, version);
                if (version == 12)
                    await collection.CompactAsync();
            }
        }

        _files = CrashFiles.Read(_folder.Path);
        CollectionManifest manifest = new CollectionFolder(_folder.Path, new UnsyncedStorageIo(refuses: false)).Read();
        _start = manifest.Log;
        var log = new LogFolder(_folder.Path, manifest.Id, new UnsyncedStorageIo(refuses: false), mostBlocks: 8);
        using var reader = new LogReader(log);
        int state = 12;
        LogPosition before = _start;
        _end = reader.Read(_start, (at, _) =>
        {
            int first = at.Segment == before.Segment ? before.Block : 0;
            state++;
            for (int block = first; block < at.Block; block++)
                _groups.Add((at.Segment, block, state));
            before = at;
        });
        Assert.That(state, Is.EqualTo(40));
        Assert.That(_end.Segment, Is.GreaterThan(_start.Segment + 2));
    }

    [OneTimeTearDown]
    public void RemoveCollection() => _folder.Dispose();

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public async Task A_log_that_ends_at_any_block_is_the_history_up_to_there(int every)
    {
        int cases = 0;
        for (int i = every / 2; i < _groups.Count; i += every, cases++)
        {
            (uint segment, int block, int state) = _groups[i];
            var files = new Dictionary<string, byte[]>(_files);
            foreach ((string name, byte[] bytes) in _files.Where(file => file.Key.StartsWith("log-", StringComparison.Ordinal)))
            {
                uint number = uint.Parse(name.AsSpan(4, 6), System.Globalization.CultureInfo.InvariantCulture);
                int kept = number < segment ? bytes.Length : number > segment ? 0 : block * LogBlock.Size;
                byte[] cut = new byte[bytes.Length];
                bytes.AsSpan(0, kept).CopyTo(cut);
                files[name] = cut;
            }

            CrashFiles.Restore(_folder.Path, files);
            await AssertStateAsync(state - 1, $"cut at block {block} of segment {segment}");
        }

        FaultTally.Report("logs of a collection cut", cases, 28 / every);
    }

    [TestCase(1)]
    [TestCase(48, Category = "Heavy")]
    public async Task Damage_before_a_durable_write_is_an_error(int bytesOfEach)
    {
        var random = new Random(5);
        int cases = 0;
        foreach (string name in _files.Keys.Where(name => name.StartsWith("log-", StringComparison.Ordinal)))
        {
            uint segment = uint.Parse(name.AsSpan(4, 6), System.Globalization.CultureInfo.InvariantCulture);
            for (int block = 0; block < _files[name].Length / LogBlock.Size; block++)
            {
                for (int i = 0; i < bytesOfEach; i++, cases++)
                {
                    // Headers are hit as often as the rest.
                    int at = random.Next(random.Next(2) == 0 ? LogBlock.HeaderSize : LogBlock.Size);
                    byte[] damaged = [.. _files[name]];
                    damaged[(block * LogBlock.Size) + at] ^= (byte)(1 << random.Next(8));
                    CrashFiles.Restore(_folder.Path, new Dictionary<string, byte[]>(_files) { [name] = damaged });
                    int state = _groups.Find(group => group.Segment == segment && group.Block == block).State;
                    string context = $"byte {at} of block {block} of {name}, which holds write {state}";
                    if (state is 0)
                        await AssertStateAsync(40, context);
                    else if (state == 40)
                        await AssertStateAsync(39, context);
                    else
                        await AssertCorruptAsync(context);
                }
            }
        }

        FaultTally.Report("bytes of a collection's log", cases, 30 * bytesOfEach);
    }

    [TestCase(1)]
    [TestCase(8, Category = "Heavy")]
    public async Task A_damaged_manifest_is_an_error(int bits)
    {
        byte[] whole = _files[CollectionFolder.ManifestName];
        CrashFiles.Restore(_folder.Path, _files);
        for (int at = 0; at < whole.Length; at++)
        {
            for (int bit = 0; bit < bits; bit++)
            {
                byte[] damaged = [.. whole];
                damaged[at] ^= (byte)(1 << ((at + bit) % 8));
                await AssertManifestIsCorruptAsync(damaged, $"bit {(at + bit) % 8} of byte {at}");
            }

            if (at % (9 - bits) == 0)
                await AssertManifestIsCorruptAsync(whole[..at], $"{at} bytes");
        }

        FaultTally.Report("bytes of a collection's manifest", whole.Length * bits, 200);
    }

    [Test]
    public async Task A_lost_manifest_is_no_reason_to_begin_a_new_collection()
    {
        CrashFiles.Restore(_folder.Path, _files);
        File.Delete(Path.Combine(_folder.Path, CollectionFolder.ManifestName));
        await AssertCorruptAsync("without a manifest");
        Assert.That(CrashFiles.Read(_folder.Path).Keys, Is.EquivalentTo(_files.Keys.Except([CollectionFolder.ManifestName])));
    }

    private Task<VectorCollection<ulong>> OpenAsync() => VectorCollection<ulong>.OpenAsync(
        _folder.Path, CrashRecords<ulong>.Schema, CrashScript<ulong>.OptionsFor(default), new UnsyncedStorageIo(refuses: false), default);

    private async Task AssertStateAsync(int state, string context)
    {
        HangBound.Current?.Restart();
        await using VectorCollection<ulong> collection = await OpenAsync();
        SortedDictionary<int, int> found = await _records.ReadAsync(collection);
        Assert.That(_history.Has(found, state, state), $"{context}: {_history.Describe(found, state, state)}");
    }

    private async Task AssertManifestIsCorruptAsync(byte[] manifest, string context)
    {
        await File.WriteAllBytesAsync(Path.Combine(_folder.Path, CollectionFolder.ManifestName), manifest);
        await AssertCorruptAsync(context);
    }

    private async Task AssertCorruptAsync(string context)
    {
        HangBound.Current?.Restart();
        try
        {
            await using VectorCollection<ulong> collection = await OpenAsync();
            Assert.Fail($"{context}: it opens, with {collection.Count} records");
        }
        catch (IndexCorruptException)
        {
            // As it must be.
        }
    }
}
