using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;

namespace VectorPipe.Tests.Storage.Log;

/// <summary>The first segments of a log are short, and each is twice as long as the one before, up to a most.</summary>
[TestFixture]
internal sealed class SegmentLengthTests
{
    private const int MostBlocks = 256;

    private LogFiles _log = null!;
    private LogFolder _folder = null!;

    [SetUp]
    public void Create()
    {
        _log = new LogFiles();
        _folder = new LogFolder(_log.Directory, LogFiles.LogId, FileStorageIo.Instance, MostBlocks);
    }

    [TearDown]
    public void Delete() => _log.Dispose();

    [Test]
    public void Lengths_double_up_to_the_longest()
    {
        var full = new LogFolder(_log.Directory, LogFiles.LogId, FileStorageIo.Instance);
        Assert.That(
            Enumerable.Range(1, 8).Select(segment => full.BlocksOf((uint)segment)),
            Is.EqualTo(new[] { 64, 128, 256, 512, 1024, 2048, 4096, 4096 }));
        Assert.That(full.BlocksOf(uint.MaxValue), Is.EqualTo(4096));
    }

    [Test]
    public void A_small_log_is_a_small_file()
    {
        using (LogWriter writer = Open([]))
            writer.Append(LogFiles.Payload(0, 100));
        Assert.That(new FileInfo(_folder.PathOf(1)).Length, Is.EqualTo(64 * LogBlock.Size));
    }

    [Test]
    public void A_long_group_passes_over_segments_that_are_too_short([Values(0, 40)] int before)
    {
        List<byte[]> groups =
        [
            .. Enumerable.Range(0, before).Select(i => LogFiles.Payload(i, 3000)), LogFiles.Payload(1000, 200 * LogBlock.PayloadSize),
        ];
        using (LogWriter writer = Open([]))
        {
            foreach (byte[] group in groups)
                writer.Append(group);
            Assert.That(writer.End.Segment, Is.EqualTo(3u));
        }

        // Another process goes on behind it.
        List<byte[]> read = [];
        using (LogWriter writer = Open(read))
            writer.Append(LogFiles.Payload(1001, 5000));
        Assert.That(read, Is.EqualTo(groups));
        read.Clear();
        Open(read).Dispose();
        Assert.That(read, Is.EqualTo([.. groups, LogFiles.Payload(1001, 5000)]));
    }

    [Test]
    public void A_damaged_group_before_segments_that_were_passed_over_is_an_error()
    {
        using (LogWriter writer = Open([]))
        {
            writer.Append(LogFiles.Payload(0, 3000));
            writer.Sync();
            writer.Append(LogFiles.Payload(1, 200 * LogBlock.PayloadSize));
            writer.Sync();
        }

        using (FileStream file = File.OpenWrite(_folder.PathOf(1)))
        {
            file.Position = 100;
            file.WriteByte(77);
        }

        Assert.That(
            () => Open([]), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected a group of the log after group 0"));
    }

    [Test]
    public void A_released_segment_becomes_a_later_one_of_its_length_or_goes()
    {
        using LogWriter writer = Open([]);
        for (int group = 0; _folder.Segments().Max() < 6; group++)
        {
            writer.Append(LogFiles.Payload(group, 50 * LogBlock.PayloadSize));
            writer.Sync();
            writer.Release(writer.Durable);
            foreach (uint segment in _folder.Segments())
                Assert.That(new FileInfo(_folder.PathOf(segment)).Length, Is.EqualTo((long)_folder.BlocksOf(segment) * LogBlock.Size));
        }

        Assert.That(_folder.Segments(), Does.Not.Contain(1u).And.Not.Contain(2u));
    }

    [Test]
    public void A_segment_that_is_longer_than_its_number_says_is_an_error()
    {
        using (LogWriter writer = Open([]))
            writer.Append(LogFiles.Payload(0, 100));
        using (FileStream file = File.OpenWrite(_folder.PathOf(1)))
            file.SetLength(MostBlocks * LogBlock.Size);
        Assert.That(
            () => Open([]), Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"{64 * LogBlock.Size} bytes, found more"));
    }

    private LogWriter Open(List<byte[]> groups)
    {
        using var reader = new LogReader(_folder);
        LogPosition end = reader.Read(LogPosition.Start, (_, payload) => groups.Add(payload.ToArray()));
        return new LogWriter(_folder, end, reader.LastSeen);
    }
}
