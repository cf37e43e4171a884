using NUnit.Framework;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

public sealed class IvfSectionTests
{
    private const string FilePath = "index/MANIFEST";

    private static readonly IvfShape _sound =
        new(Lists: 12, Pages: 40, PageSize: 4096, Components: 128, Degree: 11, Entry: 3, IsCoded: false);

    [Test]
    public void A_written_section_is_read_back([Values] bool isCoded)
    {
        byte[] body = new byte[IvfSection.Size];
        IvfSection.Write(body, _sound with { IsCoded = isCoded });

        Assert.That(IvfSection.Read(FilePath, body), Is.EqualTo(_sound with { IsCoded = isCoded }));
    }

    [Test]
    public void A_section_that_is_short_or_of_an_unknown_kind_is_refused()
    {
        byte[] body = new byte[IvfSection.Size];
        IvfSection.Write(body, _sound);
        body[28] = 2;

        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => IvfSection.Read(FilePath, body), Throws.TypeOf<IndexCorruptException>());
            Assert.That(() => IvfSection.Read(FilePath, body.AsSpan(1)), Throws.TypeOf<IndexCorruptException>());
        }
    }

    [Test]
    public void Sound_lists_are_accepted() => Assert.That(() => IvfSection.Check(FilePath, Schema(_sound), _sound), Throws.Nothing);

    [Test]
    public void Lists_out_of_range_are_refused([Range(0, 11)] int which)
    {
        IvfShape[] wrong =
        [
            _sound with { Lists = 0 }, _sound with { Lists = 1001 }, _sound with { Pages = 0 }, _sound with { Pages = long.MaxValue },
            _sound with { PageSize = 4095 }, _sound with { PageSize = 0 },
            _sound with { Components = 129 }, _sound with { Degree = 0 }, _sound with { Degree = 513 }, _sound with { Entry = -1 },
            _sound with { Entry = 12 }, _sound with { IsCoded = true },
        ];

        Assert.That(() => IvfSection.Check(FilePath, Schema(wrong[which]), wrong[which]), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    public void Codes_of_no_bytes_are_refused_without_lists() =>
        Assert.That(
            () => PlainShape.Instance.Check(FilePath, Schema(_sound) with { Lists = null }, calibration: null),
            Throws.TypeOf<IndexCorruptException>());

    private static IndexSchema Schema(IvfShape lists) => new()
    {
        Metric = DistanceMetric.L2,
        ElementType = VectorElementType.UInt8,
        Dimension = 128,
        Count = 1000,
        MaxDegree = 11,
        CodeBytes = 0,
        EntryPoint = 0,
        BuildListSize = 0,
        Alpha = 0,
        Seed = 1,
        MeanDegree = 0,
        Lists = lists,
    };
}
