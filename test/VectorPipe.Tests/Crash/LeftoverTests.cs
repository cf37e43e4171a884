using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Crash;

/// <summary>Readers delete nothing; writers clean up under the lock.</summary>
/// <remarks>Another process may be copying or building a file that no manifest names.</remarks>
public sealed class LeftoverTests
{
    private const string Leftover = "nodes-000099.vp";

    private TestIndex _test = null!;

    [SetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 60, dimension: 16);
        File.WriteAllBytes(Path.Combine(_test.Directory, Leftover), [1]);
    }

    [TearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public async Task No_reader_deletes_files_beside_an_index()
    {
        string[] names = Names();
        _test.Open(DeviceKind.Memory).Dispose();
        VectorIndex.Inspect(_test.Directory);
        Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Is.Empty);
        await new IndexExporter(_test.Directory).ExportAsync(Path.Combine(Path.GetDirectoryName(_test.Directory)!, "export"));
        Assert.That(Names(), Is.EqualTo(names));
    }

    [Test]
    public void An_index_that_is_copied_with_its_manifest_last_survives_readers()
    {
        string target = _test.Directory + "-copy";
        Directory.CreateDirectory(target);
        string[] names = [
            .. Directory.GetFiles(_test.Directory).Select(path => Path.GetFileName(path)!)
            .Where(name => name is not (IndexDirectory.ManifestName or WriteLock.Name or Leftover))];
        foreach (string name in names)
        {
            File.Copy(Path.Combine(_test.Directory, name), Path.Combine(target, name));
            Assert.That(() => VectorIndex.Open(target), Throws.TypeOf<IndexNotFoundException>());
            Assert.That(async () => await VectorIndex.VerifyAsync(target), Throws.TypeOf<IndexNotFoundException>());
            Assert.That(File.Exists(Path.Combine(target, name)), Is.True, name);
        }

        File.Copy(Path.Combine(_test.Directory, IndexDirectory.ManifestName), Path.Combine(target, IndexDirectory.ManifestName));
        using VectorIndex index = VectorIndex.Open(target);
        Assert.That(index.Info.Count, Is.EqualTo(60));
        Assert.That(
            Directory.GetFiles(target).Select(path => Path.GetFileName(path)), Is.EquivalentTo(names.Append(IndexDirectory.ManifestName)),
            "and no lock was taken");
    }

    [Test]
    public void An_index_opens_while_a_writer_holds_its_directory()
    {
        using WriteLock held = WriteLock.Take(_test.Directory, FileStorageIo.Instance);
        Assert.That(() => _test.Open(DeviceKind.Memory).Dispose(), Throws.Nothing);
    }

    [Test]
    public void A_build_deletes_leftovers_and_names_them()
    {
        RecordingLogger logger = new();
        new VectorIndexBuilder(_test.Directory, _test.Options(), new OneLoggerFactory(logger)).BuildAsync(_test.Source()).GetAwaiter()
            .GetResult();
        Assert.That(Names(), Has.None.EqualTo(Leftover));
        Assert.That(logger.Messages, Has.One.Contains("Deleted left-overs").And.Contains(Leftover));
    }

    [Test]
    public void A_directory_that_cannot_be_synced_refuses_a_build_before_a_vector_is_read()
    {
        var source = new CountingSource(_test.Source());
        string[] names = Names();
        Assert.That(
            () =>
            new VectorIndexBuilder(_test.Directory, _test.Options(), null, new UnsyncedStorageIo(refuses: true)).BuildAsync(source)
            .GetAwaiter().GetResult(),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(_test.Directory).And.Message.Contains("durable"));
        Assert.That(source.Reads, Is.Zero);
        Assert.That(Names(), Is.EqualTo(names));
    }

    [Test]
    public void The_first_build_in_an_existing_directory_syncs_its_parent()
    {
        File.Delete(Path.Combine(_test.Directory, IndexDirectory.ManifestName));
        var io = new RecordingStorageIo();
        new VectorIndexBuilder(_test.Directory, _test.Options(), null, io).BuildAsync(_test.Source()).GetAwaiter().GetResult();
        Assert.That(
            io.Operations.Count(
                operation =>
                operation.Kind == StorageOperationKind.SyncDirectory && operation.Name == Path.GetDirectoryName(_test.Directory)),
            Is.EqualTo(1),
            "the writer that created it may have died before it had synced the name");
    }

    [Test]
    public void Leftovers_that_cannot_be_listed_or_deleted_do_not_fail_a_build_that_has_published()
    {
        // The last operations of a build delete the files of the generation before.
        var counting = new HookedStorageIo(int.MaxValue, static () => { });
        Build(counting);
        string manifest = Path.Combine(_test.Directory, IndexDirectory.ManifestName);
        string aside = manifest + ".aside";
        bool renamed = false;
        var io = new HookedStorageIo(counting.Operations - 6, () =>
        {
            // A folder replaces the manifest, so that reading it fails.
            renamed = IndexDirectory.ReadManifest(_test.Directory).Generation == 3;
            File.Move(manifest, aside);
            Directory.CreateDirectory(manifest);
        });
        Assert.That(() => Build(io), Throws.Nothing);
        Assert.That(renamed, Is.True, "the new generation was in place");
        Directory.Delete(manifest);
        File.Move(aside, manifest);
        Assert.That(() => _test.Open(DeviceKind.Memory).Dispose(), Throws.Nothing);

        void Build(IStorageIo storage) =>
            new VectorIndexBuilder(_test.Directory, _test.Options(), null, storage).BuildAsync(_test.Source()).GetAwaiter().GetResult();
    }

    [Test]
    public void A_manifest_that_cannot_be_read_refuses_a_build_with_a_typed_error()
    {
        string manifest = Path.Combine(_test.Directory, IndexDirectory.ManifestName);
        File.Delete(manifest);
        Directory.CreateDirectory(manifest);
        Assert.That(() => _test.Rebuild(), Throws.TypeOf<IndexWriteException>().With.Message.Contains(manifest));
        Assert.That(Names(), Has.Some.EqualTo(Leftover), "without a manifest nothing is deleted");
    }

    private string[] Names() =>
        [.. Directory.GetFiles(_test.Directory).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
}
