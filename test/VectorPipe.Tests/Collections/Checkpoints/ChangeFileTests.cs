using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Files of changes bring back what checkpoints changed in memory, or say that they are damaged.</summary>
[TestFixture]
public sealed class ChangeFileTests
{
    private static readonly UnsyncedStorageIo _io = new(refuses: false);

    [Test]
    public async Task One_file_of_all_and_one_file_of_each_checkpoint_bring_back_the_same()
    {
        await using ChangingCollection model = await BuildAsync(checkpoints: 3);
        Assert.That(model.Collection.Store.Manifest.Changes, Has.Count.EqualTo(3), "none was replaced");
        string directory = DirectoryOf(model);
        uint built = model.Graph.KeyFile.Generation, keysCheckpoint = (model.Collection.Store.Manifest.Keys?.Generation ?? built) - built;
        var moved = model.Graph.Keys.Moved.All().ToDictionary(entry => entry.Key, entry => entry.Id);
        FileEntry all = ChangeFile.WriteAll(
            Path.Combine(directory, "changes-000099.vp"), model.Graph, model.Changes, moved, 99, model.Places.Places, _io);
        foreach (IReadOnlyList<FileEntry> files in (IReadOnlyList<FileEntry>[])[model.Collection.Store.Manifest.Changes, [all]])
        {
            using VectorIndex index = VectorIndex.Open(directory, ChangingCollection.Options.Open);
            var graph = (GraphIndex)index.Contents;
            var keys = new MovedKeys();
            (GraphChanges found, uint places) = ChangeFile.Read(directory, graph, files, keysCheckpoint, keys, default);
            AssertEqual(found, model.Changes, graph, model.Graph);
            Assert.That(places, Is.EqualTo(model.Places.Places));
            Assert.That(keys.All().ToDictionary(entry => entry.Key, entry => entry.Id), Is.EquivalentTo(moved), "the nodes of keys");
        }
    }

    [Test]
    public async Task A_file_of_everything_leaves_no_copies_of_links_behind()
    {
        // Objects that live while a file is written are moved by each collection, and searches stand still meanwhile.
        await using ChangingCollection model = await BuildAsync(checkpoints: 3);
        string path = Path.Combine(DirectoryOf(model), "changes-000099.vp");
        const int LinksOfPage = 200, LinkBytes = 4;
        int pages = model.Changes.Pages;
        for (uint page = 0; page < pages; page++)
        {
            for (int link = 0; link < LinksOfPage; link++)
                model.Changes.Waiting.Add(page, new WaitingLink((uint)link, 0));
        }

        long fewest = long.MaxValue;
        for (int round = 0; round < 3; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            ChangeFile.WriteAll(path, model.Graph, model.Changes, new Dictionary<ulong, uint?>(), 99, model.Places.Places, _io);
            fewest = Math.Min(fewest, GC.GetAllocatedBytesForCurrentThread() - before);
            File.Delete(path);
        }

        using var stream = new PagedStreamWriter(path, FileRole.Changes, model.Graph.Manifest.IndexId, 99, length: null, _io);
        long start = GC.GetAllocatedBytesForCurrentThread();
        var writer = new ChangeWriter(stream);
        long buffer = GC.GetAllocatedBytesForCurrentThread() - start;
        GC.KeepAlive(writer);
        TestContext.Out.WriteLine($"{pages} pages: {fewest} bytes, {buffer} of them a buffer");
        Assert.That(fewest - buffer, Is.LessThan(LinksOfPage / 2 * LinkBytes * pages), "the links of a page are not copied");
    }

    [TestCase(6)]
    [TestCase(16, Category = "Heavy")]
    public async Task Each_byte_is_written_about_twice(int checkpoints)
    {
        // Nearly all pages have changed after four checkpoints: a file of everything is then as long as it ever gets.
        await using ChangingCollection model = await ChangingCollection.BuildAsync(21, 1100);
        long others = 0, all = 0;
        for (int i = 0; i < checkpoints; i++)
        {
            IReadOnlyList<FileEntry> before = model.Collection.Store.Manifest.Changes;
            await model.CheckpointAsync(200, 1600, mayRebuild: true);
            IReadOnlyList<FileEntry> files = model.Collection.Store.Manifest.Changes;
            bool isOfAll = files.Count == 1 && before.Count > 0;
            (all, others) = isOfAll ? (all + files[0].Length, others) : (all, others + files[^1].Length);
        }

        Assert.That(all, Is.GreaterThan(0).And.LessThan(others * 5 / 2));
    }

    [Test]
    [Category("Heavy")]
    public async Task A_file_of_more_than_2_GiB_is_read()
    {
        await using ChangingCollection model = await BuildAsync(checkpoints: 1);
        string directory = DirectoryOf(model), path = Path.Combine(directory, "changes-000099.vp");
        int blockBytes = model.Changes.PageGraph.BlockBytes;
        uint blocks = (uint)(int.MaxValue / (sizeof(uint) + blockBytes)) + 1000;
        FileEntry entry;
        using (var stream = new PagedStreamWriter(path, FileRole.Changes, model.Graph.Manifest.IndexId, 99, length: null, _io))
        {
            var writer = new ChangeWriter(stream);
            writer.Write((uint)model.Graph.NodePages);
            writer.Write((uint)model.Graph.NodePages);
            writer.Write((ulong)model.Graph.Schema.Count);
            writer.Write(0U);
            writer.Write(blocks);
            for (uint i = 0; i < blocks; i++)
            {
                writer.Write(0U);
                writer.Write(model.Changes.PageGraph.BlockOf(1));
            }

            for (int sections = 0; sections < 3; sections++)
                writer.Write(0U);
            writer.Flush();
            stream.Complete();
            entry = stream.Entry;
        }

        Assert.That(new FileInfo(path).Length, Is.GreaterThan(int.MaxValue));
        using VectorIndex index = VectorIndex.Open(directory, ChangingCollection.Options.Open);
        (GraphChanges found, _) = ChangeFile.Read(directory, (GraphIndex)index.Contents, [entry], 0, new MovedKeys(), default);
        Assert.That(found.PageGraph.BlockOf(0).SequenceEqual(model.Changes.PageGraph.BlockOf(1)));
        File.Delete(path);
    }

    [TestCase(499)]
    [TestCase(3, Category = "Heavy")]
    public async Task Every_damaged_byte_and_every_missing_end_is_said(int every)
    {
        await using ChangingCollection model = await BuildAsync(checkpoints: 1);
        string directory = DirectoryOf(model);
        FileEntry file = model.Collection.Store.Manifest.Changes.Single();
        string path = Path.Combine(directory, file.Name);
        byte[] whole = await File.ReadAllBytesAsync(path);
        using VectorIndex index = VectorIndex.Open(directory, ChangingCollection.Options.Open);
        var graph = (GraphIndex)index.Contents;
        int cases = 0;
        for (int at = 0; at < whole.Length; at += at < 64 ? 1 : every, cases += 2)
        {
            byte[] damaged = [.. whole];
            damaged[at] ^= 0x10;
            await File.WriteAllBytesAsync(path, damaged);
            Assert.That(() => Read(directory, graph, [file]), Throws.TypeOf<IndexCorruptException>(), $"byte {at}");
            await File.WriteAllBytesAsync(path, whole[..at]);
            Assert.That(() => Read(directory, graph, [file]), Throws.TypeOf<IndexCorruptException>(), $"{at} bytes left");
        }

        File.Delete(path);
        Assert.That(() => Read(directory, graph, [file]), Throws.TypeOf<IndexCorruptException>());
        TestContext.Out.WriteLine($"{cases} damaged files");
    }

    [TestCase(1, 150)]
    [TestCase(2, 20_000, Category = "Heavy")]
    public async Task Numbers_that_make_no_sense_are_said_though_checksums_are_right(int seed, int cases)
    {
        var random = new Random(seed);
        await using ChangingCollection model = await BuildAsync(checkpoints: 1);
        string directory = DirectoryOf(model);
        FileEntry file = model.Collection.Store.Manifest.Changes.Single();
        byte[] stream = StreamOf(directory, file, model.Graph);
        using VectorIndex index = VectorIndex.Open(directory, ChangingCollection.Options.Open);
        var graph = (GraphIndex)index.Contents;
        string path = Path.Combine(directory, "changes-000077.vp");
        int said = 0;
        for (int i = 0; i < cases; i++)
        {
            byte[] damaged = [.. stream];
            int at = random.Next(i % 2 == 0 ? 40 : damaged.Length);
            damaged[at] = random.Next(3) switch
            {
                0 => 0xFF,
                1 => (byte)(damaged[at] + 1),
                _ => (byte)random.Next(256),
            };
            if (random.Next(8) == 0)
                damaged = damaged[..random.Next(damaged.Length)];
            if (damaged.AsSpan().SequenceEqual(stream))
                continue;
            File.Delete(path);
            FileEntry written = Write(path, damaged, graph);
            try
            {
                (GraphChanges changes, uint places) = ChangeFile.Read(directory, graph, [written], 0, new MovedKeys(), default);
                Assert.That(changes.FindDefect(), Is.Null);
                Assert.That(changes.Places.Take(changes.Pages), Is.All.LessThan(Math.Max(places, (uint)graph.NodePages)));
            }
            catch (IndexCorruptException e)
            {
                Assert.That(e.Message, Does.Contain("changes-000077"));
                said++;
            }
        }

        Assert.That(said, Is.GreaterThan(cases / 4));
    }

    private static async Task<ChangingCollection> BuildAsync(int checkpoints)
    {
        ChangingCollection model = await ChangingCollection.BuildAsync(21, 1100, ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastChangeBytes = 1 << 20 },
        });
        for (int i = 0; i < checkpoints; i++)
            await model.CheckpointAsync(200, 1600);
        return model;
    }

    private static string DirectoryOf(ChangingCollection model) => model.View.Generation!.Index.Info.Directory;

    private static void Read(string directory, GraphIndex graph, IReadOnlyList<FileEntry> files) =>
        ChangeFile.Read(directory, graph, files, 0, new MovedKeys(), default);

    private static FileEntry Write(string path, byte[] bytes, GraphIndex graph)
    {
        using var stream = new PagedStreamWriter(path, FileRole.Changes, graph.Manifest.IndexId, 77, length: null, _io);
        stream.Write(bytes);
        stream.Complete();
        return stream.Entry;
    }

    private static byte[] StreamOf(string directory, FileEntry file, GraphIndex graph)
    {
        using var reader = new PageFileReader(directory, file, graph.Manifest.IndexId);
        using var buffer = new NativeBuffer((nuint)reader.Header.StreamLength);
        reader.ReadAll(buffer, default);
        return buffer.Span(0, (int)buffer.Length).ToArray();
    }

    private static void AssertEqual(GraphChanges found, GraphChanges expected, GraphIndex graph, GraphIndex original)
    {
        int pages = expected.Pages, nodes = (int)expected.NodeCount;
        Assert.That((found.Pages, found.Live), Is.EqualTo((pages, expected.Live)));
        Assert.That(found.Places.AsSpan(0, pages).SequenceEqual(expected.Places.AsSpan(0, pages)), "places");
        Assert.That(found.Writers.AsSpan(0, pages).SequenceEqual(expected.Writers.AsSpan(0, pages)), "writers");
        for (int id = 0; id < nodes; id++)
        {
            // The version of a free slot of a page that was rewritten counts, and so does that of any other.
            Assert.That(found.Slots.States[(int)id], Is.EqualTo(expected.Slots.States[(int)id]), $"slot {id}");
            if (expected.IsLive((uint)id))
                Assert.That(graph.CodeOf((uint)id).SequenceEqual(original.CodeOf((uint)id)), $"the code of node {id}");
        }

        for (uint page = 0; page < pages; page++)
        {
            Assert.That(found.PageGraph.BlockOf(page).SequenceEqual(expected.PageGraph.BlockOf(page)), $"links in memory of page {page}");
            Assert.That(found.Waiting[page].ToArray().SequenceEqual(expected.Waiting[page].ToArray()), $"waiting links of page {page}");
        }
    }
}
