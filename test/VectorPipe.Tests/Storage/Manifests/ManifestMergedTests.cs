using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Manifests;

/// <summary>The sections of the merged layout and of the calibration.</summary>
public sealed class ManifestMergedTests
{
    private const string FilePath = "index/MANIFEST";

    private static readonly MergedPageLayout _shape = new(7, 3, 8192, 30, 500)
    {
        Links = GapCode.Fit([9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]),
        Fill = 6,
        Capacity = 2400,
    };

    private static readonly Calibration _calibration =
        new(1.022f, 14.7f, 9.5f, [new(1f, 0.9f, 4.5f), new(0.1f, 0.98f, 9f), new(0.001f, 1f, 40f)]);

    private static readonly (string Name, MergedPageLayout Shape)[] _badShapes =
    [
        ("no nodes", _shape with { Owned = 0 }),
        ("too many nodes", _shape with { Owned = 65_536 }),
        ("replicas below zero", _shape with { Replicas = -1 }),
        ("more vectors than fit", _shape with { Owned = 40 }),
        ("no page", _shape with { PageSize = 0 }),
        ("part of a page", _shape with { PageSize = 5000 }),
        ("too large a page", _shape with { PageSize = PageCodec.MaxPageSize * 2 }),
        ("a block below zero", _shape with { PageGraphBytes = -1 }),
        ("too large a block", _shape with { PageGraphBytes = PageGraphBlock.MaxBytes + 1 }),
        ("no entries", _shape with { Entries = 0 }),
        ("more entries than nodes", _shape with { Entries = 1001 }),
        ("entries whose bytes overflow", _shape with { Entries = 1 << 30 }),
        ("a code that lacks gaps", _shape with { Links = GapCode.Fit([2, 1, 1]) }),
        ("a code that lacks gaps to later nodes", _shape with { Links = GapCode.Fit([9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1]) }),
        ("pages without nodes", _shape with { Fill = 0 }),
        ("pages of fewer than no nodes", _shape with { Fill = -6 }),
        ("more nodes in a page than slots", _shape with { Fill = 8 }),
        ("a capacity below the ids", _shape with { Capacity = 1165 }),
        ("a capacity above all ids", _shape with { Capacity = 4_000_000_001 }),
    ];

    private static readonly (string Name, Calibration Calibration)[] _badCalibrations =
    [
        ("no slope", _calibration with { Slope = 0 }),
        ("an infinite slope", _calibration with { Slope = float.PositiveInfinity }),
        ("no spread", _calibration with { Spread = 0 }),
        ("an infinite spread", _calibration with { Spread = float.PositiveInfinity }),
        ("a norm below zero", _calibration with { LargestSquaredNorm = -1 }),
        ("an infinite norm", _calibration with { LargestSquaredNorm = float.PositiveInfinity }),
        ("a threshold of zero", _calibration with { Points = [new(0f, 0.9f, 4f)] }),
        ("a threshold that is not a number", _calibration with { Points = [new(float.NaN, 0.9f, 4f)] }),
        ("an infinite threshold", _calibration with { Points = [new(float.PositiveInfinity, 0.9f, 4f)] }),
        ("thresholds that rise", _calibration with { Points = [new(0.1f, 0.9f, 4f), new(0.2f, 0.95f, 5f)] }),
        ("a recall that is not a number", _calibration with { Points = [new(0.1f, float.NaN, 4f)] }),
        ("a recall above one", _calibration with { Points = [new(0.1f, 1.1f, 4f)] }),
        ("reads that are not a number", _calibration with { Points = [new(0.1f, 0.9f, float.NaN)] }),
        ("reads below zero", _calibration with { Points = [new(0.1f, 0.9f, -1)] }),
    ];

    [Test]
    public void Shape_and_calibration_are_read_back()
    {
        Manifest read = ManifestCodec.Read(FilePath, ManifestCodec.Write(Create()));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(read.Schema, Is.EqualTo(Create().Schema));
            Assert.That(Line(read.Calibration!), Is.EqualTo(Line(_calibration)));
            Assert.That(read.Calibration!.Points, Is.EqualTo(_calibration.Points));
        }
    }

    [Test]
    public void An_entry_point_among_the_ids_is_accepted_and_one_behind_them_is_refused()
    {
        IndexSchema schema = Create().Schema;
        Assert.That(schema.IdCount, Is.EqualTo(1166), "166 pages of six nodes in seven slots, and one of four");
        ManifestCodec.Read(FilePath, ManifestCodec.Write(Create() with { Schema = schema with { EntryPoint = 1165 } }));
        AssertRefused(Create() with { Schema = schema with { EntryPoint = 1166 } }, "behind the last node");
    }

    [Test]
    public void An_impossible_shape_is_refused([Range(0, 18)] int i) =>
        AssertRefused(Create() with { Schema = Create().Schema with { Merged = _badShapes[i].Shape } }, _badShapes[i].Name);

    [Test]
    public void More_entries_than_any_query_could_score_are_refused([Values(65_537, 1 << 29, int.MaxValue)] int entries)
    {
        // There are so many nodes that only the number of entries is wrong.
        IndexSchema schema = Create().Schema with { Count = 3_000_000_000, Merged = _shape with { Entries = entries } };
        Assert.That(
            () => ManifestCodec.Read(FilePath, ManifestCodec.Write(Create() with { Schema = schema })),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("number of entry points"));
    }

    [Test]
    public void An_impossible_calibration_is_refused([Range(0, 13)] int i) =>
        AssertRefused(Create() with { Calibration = _badCalibrations[i].Calibration }, _badCalibrations[i].Name);

    [Test]
    public void The_merged_layout_needs_a_page_graph_and_the_plain_one_has_none()
    {
        Manifest merged = Create(), plain = TestManifests.Create();
        AssertRefused(merged with { Files = plain.Files }, "merged, without a page graph");
        AssertRefused(plain with { Files = merged.Files }, "plain, with a page graph");
    }

    [Test]
    public void A_section_cut_short_is_refused([Values(0x8000_0004u, 5u)] uint tag, [Values(0, 4, 19, 47)] int length) =>
        Assert.That(
            () => ManifestCodec.Read(FilePath, TestManifests.WithSection(ManifestCodec.Write(Create()), tag, length)),
            Throws.TypeOf<IndexCorruptException>());

    [Test]
    public void A_table_longer_than_its_section_is_refused()
    {
        byte[] bytes = ManifestCodec.Write(Create() with { Calibration = _calibration with { Points = [] } });
        int at = bytes.AsSpan().IndexOf(BitConverter.GetBytes(_calibration.Slope)) + 12;
        foreach (int count in new[] { 1, -1, int.MaxValue })
        {
            BitConverter.GetBytes(count).CopyTo(bytes, at);
            Assert.That(
                () => ManifestCodec.Read(FilePath, TestManifests.Seal(bytes)),
                Throws.TypeOf<IndexCorruptException>().With.Message.Contains("calibration"), $"{count} points");
        }
    }

    private static void AssertRefused(Manifest manifest, string what) =>
        Assert.That(
            () => ManifestCodec.Read(FilePath, ManifestCodec.Write(manifest)),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains(FilePath), what);

    private static (float, float, float) Line(Calibration calibration) =>
        (calibration.Slope, calibration.Spread, calibration.LargestSquaredNorm);

    private static Manifest Create()
    {
        Manifest plain = TestManifests.Create();
        FileEntry pageGraph = plain.Files[0] with { Role = FileRole.PageGraph, Name = "pagegraph-000003.vp" };
        return plain with
        {
            Schema =
            plain.Schema with { Merged = _shape },
            Files = [.. plain.Files, pageGraph],
            Calibration = _calibration
        };
    }
}
