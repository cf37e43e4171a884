using NUnit.Framework;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Files;
using VectorPipe.Tests.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Generations;

public sealed class IndexDirectoryTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void CreateFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void DeleteFolder() => _folder.Dispose();

    [Test]
    public void A_published_manifest_is_read_back()
    {
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(1), FileStorageIo.Instance);
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(2), FileStorageIo.Instance);
        Assert.That(IndexDirectory.ReadManifest(_folder.Path).Generation, Is.EqualTo(2));
        Assert.That(_folder.FileNames, Is.EqualTo(new[] { IndexDirectory.ManifestName }));
    }

    [Test]
    public void A_failing_publish_leaves_the_previous_manifest()
    {
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(1), FileStorageIo.Instance);
        // A directory replaces the temporary file: not even root can open it for writing.
        Directory.CreateDirectory(_folder.File("MANIFEST.tmp"));
        Assert.That(
            () => IndexDirectory.Publish(_folder.Path, TestManifests.Create(2), FileStorageIo.Instance),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(_folder.Path));
        Assert.That(IndexDirectory.ReadManifest(_folder.Path).Generation, Is.EqualTo(1));
    }

    [Test]
    public void A_publish_that_cannot_replace_the_manifest_fails_with_a_typed_error()
    {
        Directory.CreateDirectory(_folder.File(IndexDirectory.ManifestName));
        Assert.That(
            () => IndexDirectory.Publish(_folder.Path, TestManifests.Create(2), FileStorageIo.Instance),
            Throws.TypeOf<IndexWriteException>());
    }

    [Test]
    public void A_full_disk_leaves_the_previous_manifest()
    {
        using SmallDisk disk = SmallDisk.MountOrIgnore(_folder.File("disk"), "16k");
        IndexDirectory.Publish(disk.Path, TestManifests.Create(1), FileStorageIo.Instance);
        FillUp(disk.Path);
        Assert.That(
            () => IndexDirectory.Publish(disk.Path, TestManifests.Create(2), FileStorageIo.Instance), Throws.TypeOf<IndexWriteException>());
        Assert.That(IndexDirectory.ReadManifest(disk.Path).Generation, Is.EqualTo(1));
    }

    [Test]
    public void A_manifest_that_is_half_written_is_not_the_index()
    {
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(1), FileStorageIo.Instance);
        _folder.Write("MANIFEST.tmp", ManifestCodec.Write(TestManifests.Create(2))[..50]);
        Assert.That(IndexDirectory.ReadManifest(_folder.Path).Generation, Is.EqualTo(1));
    }

    [Test]
    public void A_directory_without_an_index_is_a_typed_error()
    {
        Assert.That(
            () => IndexDirectory.ReadManifest(_folder.Path),
            Throws.TypeOf<IndexNotFoundException>().With.Message.Contains("finished index"));
        Assert.That(
            () => IndexDirectory.ReadManifest(_folder.File("none")), Throws.TypeOf<IndexNotFoundException>().With.Message.Contains("none"));
    }

    [Test]
    public void A_link_in_place_of_the_temporary_manifest_is_not_followed()
    {
        _folder.Write("mine", [1, 2, 3]);
        File.CreateSymbolicLink(_folder.File("MANIFEST.tmp"), _folder.File("mine"));
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(1), FileStorageIo.Instance);
        Assert.That(File.ReadAllBytes(_folder.File("mine")), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.That(new FileInfo(_folder.File(IndexDirectory.ManifestName)).LinkTarget, Is.Null);
    }

    [Test]
    [Platform("Linux")]
    public void A_manifest_that_is_not_a_file_is_refused_at_once([Values] bool isPipe)
    {
        string path = _folder.File(IndexDirectory.ManifestName);
        if (isPipe)
            SpecialFiles.MakePipe(path);
        else
            Directory.CreateDirectory(path);
        Assert.That(() => IndexDirectory.ReadManifest(_folder.Path), Throws.TypeOf<DeviceException>().With.Message.Contains(path));
    }

    [Test]
    [Platform("Linux")]
    public void A_manifest_that_links_to_an_endless_file_is_read_only_to_its_length()
    {
        File.CreateSymbolicLink(_folder.File(IndexDirectory.ManifestName), "/dev/zero");
        Assert.That(() => IndexDirectory.ReadManifest(_folder.Path), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    [Platform(Exclude = "Win", Reason = "Making a link takes a right of its own there.")]
    public void A_manifest_that_links_to_a_large_file_is_refused_before_it_is_read()
    {
        string large = _folder.File("large");
        using (FileStream file = File.Create(large))
            file.SetLength(3L << 30);
        File.CreateSymbolicLink(_folder.File(IndexDirectory.ManifestName), large);
        Assert.That(
            () => IndexDirectory.ReadManifest(_folder.Path), Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"{3L << 30}"));
    }

    [Test]
    public void Old_files_are_deleted_only_after_the_manifest_in_force_is_durable()
    {
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(3), FileStorageIo.Instance);
        _folder.Write("nodes-000002.vp", [1]);
        var io = new RecordingStorageIo();
        IndexDirectory.DeleteLeftovers(_folder.Path, TestManifests.Create(3), io);
        Assert.That(File.Exists(_folder.File("nodes-000002.vp")), Is.False);
        int renamed = io.Operations.ToList().FindIndex(operation => operation.Kind == StorageOperationKind.Rename);
        int deleted = io.Operations.ToList().FindIndex(
            operation => operation.Kind == StorageOperationKind.Delete && operation.Name.StartsWith("nodes", StringComparison.Ordinal));
        Assert.That(renamed, Is.InRange(0, deleted - 1), "a repeated sync proves nothing, so the manifest is renamed again");
    }

    [Test]
    public void A_writer_deletes_no_file_of_a_later_generation()
    {
        string[] later = ["nodes-000004.vp", "scratch-000004-rows.vp", "MANIFEST.tmp"];
        foreach (string name in later.Append("nodes-000002.vp").Append("scratch-000003-rows.vp"))
            _folder.Write(name, [1]);
        IndexDirectory.DeleteReplaced(_folder.Path, TestManifests.Create(3), FileStorageIo.Instance);
        Assert.That(_folder.FileNames, Is.EquivalentTo(later));
    }

    [Test]
    public void Files_of_unfinished_builds_are_deleted_directly()
    {
        IndexDirectory.Publish(_folder.Path, TestManifests.Create(3), FileStorageIo.Instance);
        _folder.Write("nodes-000004.vp", [1]);
        var io = new RecordingStorageIo();
        IndexDirectory.DeleteLeftovers(_folder.Path, TestManifests.Create(3), io);
        Assert.That(io.Operations.Select(operation => operation.Kind), Is.EqualTo(new[] { StorageOperationKind.Delete }));
    }

    [TestCase(0)]
    [TestCase(ManifestCodec.MaxLength + 1)]
    public void A_manifest_of_an_impossible_length_is_corrupt(int length)
    {
        _folder.Write(IndexDirectory.ManifestName, new byte[length]);
        Assert.That(() => IndexDirectory.ReadManifest(_folder.Path), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    [Platform("Linux", Reason = "Some names differ in case alone.")]
    public void Only_index_files_that_the_manifest_does_not_name_are_deleted()
    {
        string[] ours =
        [
            "nodes-000001.vp", "codes-000002.vp", "codebook-1234567.vp", "MANIFEST.tmp", "scratch-000003-vectors.vp",
            "scratch-000009-leaf-rows-2.vp",
            "pagegraph-000001.vp", "vectors-000001.vp",
        ];
        string[] kept =
        [
            "nodes-000003.vp", "codes-000003.vp", "codebook-000003.vp", "MANIFEST", "LOCK", "notes.txt", "nodes.vp", "nodes-.vp",
            "nodes-7.vp",
            "nodes-0000001.vp", "nodes-000001.vp.bak", "Nodes-000001.vp", "nodes-00000a.vp", "nodes- 00001.vp", "my-nodes-000001.vp",
            "graph-000001.vp",
            "scratch-000001.vp", "scratch-000001-.vp", "scratch-1-rows.vp", "scratch-000001-Rows.vp", "scratch-000001-rows",
            "scratch-rows-000001.vp", "scratch--rows.vp",
            "scratch-000001-a--b.vp", "scratch-000001-a.b.vp", "my-scratch-000001-rows.vp",
        ];
        foreach (string name in ours.Concat(kept))
            _folder.Write(name, [1]);
        Directory.CreateDirectory(_folder.File("nodes-000009.vp"));
        Manifest current = TestManifests.Create(3);
        Assert.That(IndexDirectory.DeleteLeftovers(_folder.Path, current, FileStorageIo.Instance), Is.EquivalentTo(ours));
        Assert.That(_folder.FileNames, Is.EquivalentTo(kept));
        Assert.That(Directory.Exists(_folder.File("nodes-000009.vp")), Is.True);
    }

    [Test]
    public void Deleting_a_generation_deletes_its_scratch_files_and_no_others()
    {
        foreach (
            string name in new[] { IndexDirectory.ScratchName("rows", 2), IndexDirectory.ScratchName("rows", 3), "nodes-000002.vp",
            "nodes-000003.vp", "notes.txt" })
            _folder.Write(name, [1]);
        IndexDirectory.DeleteGeneration(_folder.Path, 2, FileStorageIo.Instance);
        Assert.That(_folder.FileNames, Is.EquivalentTo(new[] { IndexDirectory.ScratchName("rows", 3), "nodes-000003.vp", "notes.txt" }));
    }

    [Test]
    public void A_shuffle_in_a_build_has_scratch_names_of_its_generation()
    {
        var paths = ShufflePaths.OfBuild(_folder.Path, 2, "vectors");
        Assert.That(
            paths,
            Is.EqualTo(new ShufflePaths(_folder.File("scratch-000002-vectors.vp"), _folder.File("scratch-000002-vectors-offsets.vp"))));
        foreach (string path in new[] { paths.Data, paths.Offsets })
            _folder.Write(Path.GetFileName(path), [1]);
        Assert.That(IndexDirectory.NextGeneration(_folder.Path), Is.EqualTo(3), "a scratch file reserves its generation");
        IndexDirectory.DeleteLeftovers(_folder.Path, TestManifests.Create(1), FileStorageIo.Instance);
        Assert.That(_folder.FileNames, Is.Empty);
    }

    [TestCase("")]
    [TestCase("Rows")]
    [TestCase("a/b")]
    [TestCase("a--b")]
    [TestCase("a.b")]
    public void A_purpose_that_cannot_be_a_file_name_is_refused(string purpose) =>
        Assert.That(() => IndexDirectory.ScratchName(purpose, 1), Throws.ArgumentException.With.Message.Contains("lower-case"));

    [Test]
    public void Without_a_manifest_all_index_files_are_leftovers()
    {
        _folder.Write("nodes-000003.vp", [1]);
        _folder.Write("mine", [1]);
        Assert.That(IndexDirectory.DeleteLeftovers(_folder.Path, null, FileStorageIo.Instance), Is.EqualTo(new[] { "nodes-000003.vp" }));
        Assert.That(_folder.FileNames, Is.EqualTo(new[] { "mine" }));
    }

    [Test]
    public void The_next_generation_is_above_every_trace()
    {
        Assert.That(IndexDirectory.NextGeneration(_folder.Path), Is.EqualTo(1));
        foreach ((FileRole role, uint generation) in new[] { (FileRole.Nodes, 2u), (FileRole.Codes, 41u), (FileRole.CodeBook, 7u) })
            _folder.Write(IndexDirectory.FileName(role, generation), [1]);
        Assert.That(IndexDirectory.NextGeneration(_folder.Path), Is.EqualTo(42));
    }

    [Test]
    public void The_last_generation_has_no_next_one()
    {
        _folder.Write(IndexDirectory.FileName(FileRole.Nodes, uint.MaxValue - 1), [1]);
        Assert.That(IndexDirectory.NextGeneration(_folder.Path), Is.EqualTo(uint.MaxValue));
        string last = IndexDirectory.FileName(FileRole.Keys, uint.MaxValue);
        _folder.Write(last, [1]);
        Assert.That(
            () => IndexDirectory.NextGeneration(_folder.Path),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(_folder.Path).And.Message.Contains(last));
    }

    [Test]
    public void The_lock_excludes_a_second_writer()
    {
        using (WriteLock.Take(_folder.Path, FileStorageIo.Instance))
        {
            Assert.That(
                () => WriteLock.Take(_folder.Path, FileStorageIo.Instance),
                Throws.TypeOf<IndexWriteException>().With.Message.Contains("only writer"));
        }

        Assert.That(
            () => WriteLock.Take(_folder.Path, FileStorageIo.Instance).Dispose(), Throws.Nothing, "A released lock can be taken.");
    }

    [Test]
    public void A_lock_that_only_its_writer_can_read_is_held_until_it_is_released()
    {
        using (WriteLock held = WriteLock.Take(_folder.Path, FileStorageIo.Instance, isReadByName: false))
        {
            Assert.That(held.IsHeld());
            Assert.That(held.RequireHeld, Throws.Nothing);
            Assert.That(() => WriteLock.Take(_folder.Path, FileStorageIo.Instance), Throws.TypeOf<IndexWriteException>());
        }

        Assert.That(new FileInfo(_folder.File(WriteLock.Name)).Length, Is.Zero);
    }

    [Test]
    public void A_lock_that_does_not_exclude_is_refused() =>
        Assert.That(
            () => WriteLock.Take(_folder.Path, new LyingLockStorageIo(excludesOwn: false)),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(_folder.Path).And.Message.Contains("locked twice"));

    [Test]
    public void A_lock_that_another_machine_has_taken_is_lost()
    {
        using WriteLock first = WriteLock.Take(_folder.Path, new LyingLockStorageIo(excludesOwn: true));
        Assert.That(first.IsHeld(), Is.True);
        using (WriteLock second = WriteLock.Take(_folder.Path, new LyingLockStorageIo(excludesOwn: true)))
        {
            Assert.That((first.IsHeld(), second.IsHeld()), Is.EqualTo((false, true)));
            Assert.That(first.RequireHeld, Throws.TypeOf<IndexWriteException>().With.Message.Contains("another one has taken LOCK"));
        }
    }

    [Test]
    [Platform(Exclude = "Win", Reason = "The file of a lock that is held cannot be deleted there.")]
    public void A_lock_whose_file_was_deleted_is_lost()
    {
        using WriteLock held = WriteLock.Take(_folder.Path, FileStorageIo.Instance);
        File.Delete(_folder.File(WriteLock.Name));
        Assert.That(held.IsHeld(), Is.False);
        using WriteLock other = WriteLock.Take(_folder.Path, FileStorageIo.Instance);
        Assert.That((held.IsHeld(), other.IsHeld()), Is.EqualTo((false, true)));
    }

    [Test]
    public void A_lock_in_a_missing_directory_is_a_typed_error() =>
        Assert.That(() => WriteLock.Take(_folder.File("none"), FileStorageIo.Instance), Throws.TypeOf<IndexWriteException>());

    private static void FillUp(string directory)
    {
        try
        {
            using FileStream file = File.Create(Path.Combine(directory, "ballast"), 1);
            for (int i = 0; i < 1 << 20; i++)
                file.Write(new byte[4096]);
        }
        catch (IOException)
        {
            // The disk is now full.
        }
    }
}
