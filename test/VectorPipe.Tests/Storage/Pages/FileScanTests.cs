using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Storage.Pages;

/// <summary>A file of any length is read in order, byte for byte; a failing read is a typed error.</summary>
internal sealed class FileScanTests
{
    private const int Piece = 1 << 18;

    [Test]
    public void Every_byte_comes_once_and_in_order(
        [Values(
            1, 511, 512, 513, 4095, 4096, 4097, Piece, Piece + 1,
            (12 * Piece) + 777)] int length, [Values(0, 1, 8, 4096, 4100, Piece, Piece + 4097)] int from)
    {
        using var file = new PatternFile(length);
        if (from > length)
        {
            Assert.That(() => new FileScan(file.Path, from), Throws.InstanceOf<ArgumentOutOfRangeException>());
            return;
        }

        using var scan = new FileScan(file.Path, from);
        Assert.That(scan.Length, Is.EqualTo(length));
        Assert.That(ReadAll(scan, 100_003).AsSpan().SequenceEqual(PatternFile.Bytes(length).AsSpan(from)), Is.True);
    }

    [Test]
    public void The_size_of_a_request_does_not_matter([Values(1, 7, 4096, Piece, 5 * Piece)] int together)
    {
        using var file = new PatternFile(together == 1 ? 5000 : (3 * Piece) + 99);
        using var scan = new FileScan(file.Path);
        Assert.That(ReadAll(scan, together).AsSpan().SequenceEqual(PatternFile.Bytes(file.Length)), Is.True);
    }

    [Test]
    public void The_read_ahead_of_a_stopped_reader_is_bounded()
    {
        using var file = new PatternFile(64 * Piece);
        var faults = new FaultOpener(_ => default);
        using var scan = new FileScan(file.Path, openDevice: faults.Open);
        scan.Read(new byte[1], CancellationToken.None);

        Assert.That(
            faults.Reads * Piece, Is.GreaterThan(Piece).And.AtMost(FileScan.MemoryBytes),
            "several reads ahead, within the memory of a scan");
    }

    [Test]
    public void A_read_that_fails_is_an_error_with_the_file_after_all_earlier_bytes([Values(0, 3, 7)] int failing)
    {
        using var file = new PatternFile(8 * Piece);
        var faults = new FaultOpener(read => read == failing ? new Fault(FaultKind.Errno, Errno.EIO) : default);
        using var scan = new FileScan(file.Path, openDevice: faults.Open);
        byte[] before = new byte[failing * Piece];

        Assert.That(scan.Read(before, CancellationToken.None), Is.EqualTo(before.Length));
        Assert.That(before.AsSpan().SequenceEqual(PatternFile.Bytes(before.Length)), Is.True);
        Assert.That(
            () => scan.Read(new byte[1], CancellationToken.None),
            Throws.TypeOf<DeviceException>().With.Message.Contains(file.Path).And.Property("ErrorNumber").EqualTo(Errno.EIO));
    }

    [TestCase(5)]
    [TestCase(Piece)]
    public void A_file_that_is_cut_short_meanwhile_is_an_error(int less)
    {
        using var file = new PatternFile((20 * Piece) + 5);
        using var scan = new FileScan(file.Path);
        using (FileStream cut = File.OpenWrite(file.Path))
            cut.SetLength(file.Length - less);

        Assert.That(() => ReadAll(scan, Piece), Throws.TypeOf<DeviceException>().With.Message.Contains(file.Path));
    }

    [Test]
    public void A_cancellation_ends_the_reading()
    {
        using var file = new PatternFile(4 * Piece);
        using var scan = new FileScan(file.Path);
        using var cancellation = new CancellationTokenSource();
        scan.Read(new byte[Piece], cancellation.Token);
        cancellation.Cancel();

        Assert.That(() => scan.Read(new byte[1], cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void A_file_that_does_not_exist_is_an_error_that_names_it() =>
        Assert.That(() => new FileScan("/nowhere/at-all"), Throws.TypeOf<DeviceException>().With.Message.Contains("/nowhere/at-all"));

    private static byte[] ReadAll(FileScan scan, int together)
    {
        var all = new List<byte>();
        byte[] buffer = new byte[together];
        while (scan.Read(buffer, CancellationToken.None) is var read and > 0)
            all.AddRange(buffer.AsSpan(0, read));
        return [.. all];
    }
}
