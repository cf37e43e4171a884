using NUnit.Framework;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Pages;

public sealed class PageCodecTests
{
    private static readonly PageIdentity _identity = new(0xFEED_0000_0000_0001, 42, 7);

    [TestCase(4096)]
    [TestCase(8192)]
    public void A_sealed_page_verifies(int pageSize)
    {
        byte[] page = Sealed(pageSize);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(PageCodec.Check(page, PageKind.Stream, _identity), Is.EqualTo(PageFault.None));
            Assert.That(PageCodec.PayloadLength(page), Is.EqualTo(100));
            Assert.That(PageCodec.Items(page), Is.EqualTo(3));
            Assert.That(PageCodec.Payload((ReadOnlySpan<byte>)page)[1], Is.EqualTo(37));
        }
    }

    [Test]
    public void Every_flipped_bit_is_detected()
    {
        byte[] page = Sealed(4096);
        for (int bit = 0; bit < page.Length * 8; bit++)
        {
            page[bit / 8] ^= (byte)(1 << bit % 8);
            if (PageCodec.Check(page, PageKind.Stream, _identity) != PageFault.Checksum)
                Assert.Fail(
                    $"Bit {bit} was flipped: expected {PageFault.Checksum}, found {PageCodec.Check(page, PageKind.Stream, _identity)}.");
            page[bit / 8] ^= (byte)(1 << bit % 8);
        }
    }

    [Test]
    public void A_page_of_another_file_is_reported() =>
        AssertFault(
            _identity with { FileId = 5 }, PageKind.Stream, PageFault.ForeignFile,
            "expected file identity 0000000000000005, found feed000000000001");

    [Test]
    public void A_page_of_another_place_is_reported() =>
        AssertFault(_identity with { PageNumber = 43 }, PageKind.Stream, PageFault.Misplaced, "expected page number 43, found 42");

    [Test]
    public void A_page_of_another_generation_is_reported() =>
        AssertFault(_identity with { Generation = 8 }, PageKind.Stream, PageFault.Stale, "expected generation 8, found 7");

    [Test]
    public void A_page_of_another_kind_is_reported() =>
        AssertFault(_identity, PageKind.PlainNodes, PageFault.Kind, "expected page kind PlainNodes, found 3");

    [Test]
    public void A_page_that_was_never_written_is_reported() =>
        AssertFault(new byte[4096], _identity, PageKind.Stream, PageFault.Zeroed, "expected a written page, found only zeros");

    [Test]
    public void Changed_bytes_are_reported()
    {
        byte[] page = Sealed(4096);
        page[2000]++;
        AssertFault(page, _identity, PageKind.Stream, PageFault.Checksum, "expected checksum");
    }

    [TestCase(4065u)]
    [TestCase(uint.MaxValue)]
    public void A_payload_longer_than_the_page_is_reported(uint length)
    {
        byte[] page = Sealed(4096);
        BitConverter.GetBytes(length).CopyTo(page, 28);
        BitConverter.GetBytes(Crc32C.Compute(page.AsSpan(4))).CopyTo(page, 0);
        AssertFault(page, _identity, PageKind.Stream, PageFault.Length, $"expected at most 4064 payload bytes, found {length}");
    }

    private static void AssertFault(PageIdentity expected, PageKind kind, PageFault fault, string message) =>
        AssertFault(Sealed(4096), expected, kind, fault, message);

    private static void AssertFault(byte[] page, PageIdentity expected, PageKind kind, PageFault fault, string message)
    {
        Assert.That(PageCodec.Check(page, kind, expected), Is.EqualTo(fault));
        Assert.That(
            () => PageCodec.Verify("nodes.vp", page, kind, expected),
            Throws.TypeOf<IndexCorruptException>()
                .With.Message.StartsWith($"nodes.vp, page {expected.PageNumber}: {message}")
                .And.Property(nameof(IndexCorruptException.Page)).EqualTo(expected.PageNumber));
    }

    private static byte[] Sealed(int pageSize)
    {
        byte[] page = new byte[pageSize];
        for (int i = 0; i < 100; i++)
            page[PageCodec.HeaderSize + i] = (byte)(i * 37);
        PageCodec.Seal(page, PageKind.Stream, 3, _identity, 100);
        return page;
    }
}
