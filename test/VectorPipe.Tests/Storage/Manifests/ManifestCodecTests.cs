using System.Buffers.Binary;
using System.Globalization;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

public sealed class ManifestCodecTests
{
    private const string FilePath = "index/MANIFEST";

    [Test]
    public void A_written_manifest_is_read_back()
    {
        Manifest written = TestManifests.Create();
        Manifest read = ManifestCodec.Read(FilePath, ManifestCodec.Write(written));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(read.IndexId, Is.EqualTo(written.IndexId));
            Assert.That(read.Generation, Is.EqualTo(written.Generation));
            Assert.That(read.Schema, Is.EqualTo(written.Schema));
            Assert.That(read.Files, Is.EqualTo(written.Files));
            Assert.That(read.File(FileRole.Codes).Length, Is.EqualTo(101 * 4096));
        }
    }

    [Test]
    public void Every_flipped_bit_is_detected()
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create());
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << bit % 8);
            AssertCorrupt(bytes, string.Create(CultureInfo.InvariantCulture, $"bit {bit}"));
            bytes[bit / 8] ^= (byte)(1 << bit % 8);
        }
    }

    [Test]
    public void Codes_of_a_removed_kind_are_refused_by_their_name()
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create());

        // The schema is the first section; its field of the code kind lies at 56.
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(TestManifests.HeaderSize + 8 + 56), 2);
        Assert.That(
            () => ManifestCodec.Read(FilePath, TestManifests.Seal(bytes)),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("found RaBitQ").And.Message.Contains(
                "rebuild").And.Message.Contains(FilePath));
    }

    [Test]
    public void Every_truncation_is_detected()
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create());
        for (int length = 0; length < bytes.Length; length++)
            AssertCorrupt(bytes[..length], string.Create(CultureInfo.InvariantCulture, $"length {length}"));
    }

    [Test]
    public void Every_truncation_with_a_right_checksum_is_detected()
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create());
        for (int length = TestManifests.HeaderSize + 4; length < bytes.Length; length++)
            AssertCorrupt(TestManifests.Seal(bytes[..length]), string.Create(CultureInfo.InvariantCulture, $"length {length}"));
    }

    [Test]
    public void A_changed_byte_with_a_right_checksum_is_read_or_refused()
    {
        byte[] original = ManifestCodec.Write(TestManifests.Create());
        for (int i = 0; i < original.Length - 4; i++)
        {
            for (int value = 0; value < 256; value++)
            {
                byte[] bytes = [.. original];
                bytes[i] = (byte)value;
                BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(bytes.Length - 4), Crc32C.Compute(bytes.AsSpan(0, bytes.Length - 4)));
                try
                {
                    ManifestCodec.Read(FilePath, bytes);
                }
                catch (IndexCorruptException)
                {
                    // A refusal is one of the two allowed outcomes.
                }
            }
        }
    }

    [Test]
    public void An_unknown_section_is_skipped()
    {
        Manifest written = TestManifests.Create();
        byte[] bytes = TestManifests.WithSection(ManifestCodec.Write(written), 0x1234, 20);
        Assert.That(ManifestCodec.Read(FilePath, bytes).Files, Is.EqualTo(written.Files));
    }

    [Test]
    public void An_unknown_mandatory_section_is_refused()
    {
        byte[] bytes = TestManifests.WithSection(ManifestCodec.Write(TestManifests.Create()), 0x8000_1234, 20);
        Assert.That(
            () => ManifestCodec.Read(FilePath, bytes),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("80001234").And.Message.Contains("newer"));
    }

    [Test]
    public void Another_format_version_is_refused([Values(0u, 1u, 3u)] uint version)
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create());
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(8), version);
        Assert.That(
            () => ManifestCodec.Read(FilePath, TestManifests.Seal(bytes)),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains(
                $"expected format version 2, found {version}").And.Message.Contains(version < 2 ? "rebuild" : "newer"));
    }

    [TestCase("../nodes-000003.vp")]
    [TestCase("/etc/passwd")]
    [TestCase("a/b")]
    [TestCase("a/")]
    [TestCase("")]
    [TestCase(".")]
    [TestCase("..")]
    [TestCase("a\0b")]
    public void A_name_that_is_not_a_plain_file_name_is_refused(string name)
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create(nodesName: name));
        Assert.That(
            () => ManifestCodec.Read(FilePath, bytes), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("plain file name"));
    }

    [TestCase(255, true)]
    [TestCase(256, false)]
    public void A_name_too_long_for_a_file_system_is_refused(int length, bool valid)
    {
        byte[] bytes = ManifestCodec.Write(TestManifests.Create(nodesName: new string('n', length)));
        Assert.That(
            () => ManifestCodec.Read(FilePath, bytes),
            valid ? Throws.Nothing : Throws.TypeOf<IndexCorruptException>().With.Message.Contains("256"));
    }

    [Test]
    public void A_role_without_a_file_is_refused()
    {
        Manifest manifest = TestManifests.Create();
        byte[] bytes = ManifestCodec.Write(manifest with { Files = [.. manifest.Files.Take(2)] });
        Assert.That(() => ManifestCodec.Read(FilePath, bytes), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("CodeBook"));
    }

    [Test]
    public void A_key_directory_out_of_range_is_refused()
    {
        KeyDirectoryShape good = TestManifests.Create().Keys;
        KeyDirectoryShape[] bad =
            [good with { Buckets = 0 }, good with { Buckets = -1 }, good with { Entries = 999 }, good with { LongestChain = 0 }];
        foreach (KeyDirectoryShape shape in bad)
        {
            byte[] bytes = ManifestCodec.Write(TestManifests.Create() with { Keys = shape });
            Assert.That(() => ManifestCodec.Read(FilePath, bytes), Throws.TypeOf<IndexCorruptException>(), shape.ToString());
        }
    }

    [Test]
    public void A_schema_out_of_range_is_refused()
    {
        IndexSchema good = TestManifests.Create().Schema;
        IndexSchema[] bad =
        [
            good with { Dimension = 0 },
            good with { Dimension = SchemaLimits.MaxDimension + 1 },
            good with { MaxDegree = SchemaLimits.MaxDegree + 1 },
            good with { Count = 0 },
            good with { EntryPoint = 1000 },
            good with { EntryPoint = -1 },
            good with { CodeBytes = 97 },
        ];
        foreach (IndexSchema schema in bad)
        {
            byte[] bytes = ManifestCodec.Write(TestManifests.Create() with { Schema = schema });
            Assert.That(() => ManifestCodec.Read(FilePath, bytes), Throws.TypeOf<IndexCorruptException>(), schema.ToString());
        }
    }

    private static void AssertCorrupt(byte[] bytes, string what)
    {
        try
        {
            ManifestCodec.Read(FilePath, bytes);
        }
        catch (IndexCorruptException e)
        {
            if (e.File != FilePath)
                Assert.Fail($"{what}: the error names {e.File}.");
            return;
        }

        Assert.Fail($"{what}: read without an error.");
    }
}
