using NUnit.Framework;
using VectorPipe.Storage.Log;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Log;

[Parallelizable(ParallelScope.All)]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class LogTests : IDisposable
{
    private const int Block = LogBlock.Size, Payload = LogBlock.PayloadSize;
    private readonly LogFiles _log = new();

    public void Dispose() => _log.Dispose();

    [Test]
    public void A_new_log_is_empty() => Assert.That(_log.Read(), Is.Empty);

    [TestCase(1)]
    [TestCase(Payload)]
    [TestCase(Payload + 1)]
    [TestCase(LogFiles.SegmentBlocks * Payload)]
    public void A_written_group_is_read_back(int length)
    {
        List<byte[]> written = _log.Write(length);
        TestBytes.AssertEqual(_log.Read(), written, "the log");
    }

    [Test]
    public void Groups_come_back_in_order_over_many_segments_and_openings()
    {
        var random = new Random(5);
        List<byte[]> written = [], found = [];
        for (int opening = 0; opening < 8; opening++)
        {
            found.Clear();
            using LogWriter writer = _log.Open(found);
            TestBytes.AssertEqual(found, written, $"opening {opening}");
            for (int i = 0; i < 10; i++)
            {
                written.Add(LogFiles.Payload(written.Count, random.Next(1, 6 * Payload)));
                writer.Append(written[^1]);
                if (random.Next(2) == 0)
                    writer.Sync();
            }

            writer.Sync();
            Assert.That(writer.Durable, Is.EqualTo(writer.End));
        }

        TestBytes.AssertEqual(_log.Read(), written, "at the end");
        Assert.That(_log.Folder().Segments(), Has.Length.GreaterThan(5));
    }

    [Test]
    public void A_group_begins_in_a_fresh_block_and_leaves_earlier_ones_unchanged()
    {
        _log.Write(10, 20);
        byte[] before = File.ReadAllBytes(_log.PathOf(1))[..(2 * Block)];
        using (LogWriter writer = _log.Open([]))
            writer.Append(new byte[30]);
        Assert.That(File.ReadAllBytes(_log.PathOf(1))[..(2 * Block)], Is.EqualTo(before));
    }

    [Test]
    public void Reading_begins_at_any_place_between_groups()
    {
        List<byte[]> written = _log.Write([.. Enumerable.Range(1, 30).Select(i => i * 900)]);
        List<LogPosition> places = [];
        using (var reader = new LogReader(_log.Folder()))
            reader.Read(LogPosition.Start, (end, _) => places.Add(end));
        for (int i = 0; i < places.Count; i++)
            TestBytes.AssertEqual(_log.Read(places[i]), written[(i + 1)..], $"from group {i + 1}");
    }

    [Test]
    public void Released_segments_are_used_again_and_their_old_blocks_are_not_read()
    {
        using (LogWriter writer = _log.Open([]))
        {
            LogPosition kept = LogPosition.Start;
            for (int i = 0; i < 200; i++)
            {
                LogPosition end = writer.Append(LogFiles.Payload(i, 3 * Payload));
                writer.Sync();
                if (i % 20 != 19)
                    continue;
                kept = end;
                writer.Release(kept);
                Assert.That(_log.Folder().Segments(), Has.Length.LessThanOrEqualTo(7), $"after group {i}");
            }

            for (int i = 0; i < 7; i++)
                writer.Append(LogFiles.Payload(1000 + i, 100));
            writer.Sync();
            Assert.That(_log.Read(kept), Is.EqualTo(Enumerable.Range(0, 7).Select(i => LogFiles.Payload(1000 + i, 100))));
        }
    }

    [Test]
    public void The_next_segment_is_begun_at_half_and_named_before_the_end()
    {
        using LogWriter writer = _log.Open([]);
        string draft = _log.PathOf(2) + ".tmp";
        for (int blocks = 0; blocks < LogFiles.SegmentBlocks; blocks++)
        {
            Assert.That(writer.PrepareNext(), Is.Null);
            Assert.That(File.Exists(draft), Is.EqualTo(blocks is > LogFiles.SegmentBlocks / 2 and < LogFiles.SegmentBlocks * 7 / 8));
            Assert.That(File.Exists(_log.PathOf(2)), Is.EqualTo(blocks >= LogFiles.SegmentBlocks * 7 / 8), $"{blocks} blocks used");
            writer.Append(LogFiles.Payload(blocks, Payload));
        }
    }

    [Test]
    public void A_segment_that_was_begun_is_finished_when_a_long_group_needs_it_early()
    {
        List<byte[]> groups = [LogFiles.Payload(0, 9 * Payload), LogFiles.Payload(1, 10 * Payload)];
        using (LogWriter writer = _log.Open([]))
        {
            writer.Append(groups[0]);
            Assert.That(writer.PrepareNext(), Is.Null);
            Assert.That(File.Exists(_log.PathOf(2) + ".tmp"));
            writer.Append(groups[1]);
        }

        Assert.That(_log.Read(), Is.EqualTo(groups));
    }

    [Test]
    public void A_segment_that_was_begun_is_gone_when_the_log_is_closed_or_has_one_again()
    {
        using (LogWriter writer = _log.Open([]))
        {
            LogPosition kept = writer.Append(LogFiles.Payload(0, LogFiles.SegmentBlocks * Payload));
            writer.Append(LogFiles.Payload(1, 9 * Payload));
            writer.Sync();
            Assert.That(writer.PrepareNext(), Is.Null);
            Assert.That(File.Exists(_log.PathOf(3) + ".tmp"));
            writer.Release(writer.Durable);
            Assert.That(File.Exists(_log.PathOf(3) + ".tmp"), Is.False, "one that was released took its place");
            Assert.That(_log.Folder().Segments(), Is.EqualTo(new uint[] { 2, 3 }), $"after {kept}");
            writer.Append(LogFiles.Payload(2, 7 * Payload));
            writer.Append(LogFiles.Payload(3, 9 * Payload));
            Assert.That(writer.PrepareNext(), Is.Null);
            Assert.That(File.Exists(_log.PathOf(4) + ".tmp"));
            writer.DropNext();
        }

        Assert.That(Directory.GetFiles(_log.Directory, "*.tmp"), Is.Empty);
    }

    [TestCase(0)]
    [TestCase((LogFiles.SegmentBlocks * Payload) + 1)]
    [TestCase(LogWriter.MaxPayload + 1)]
    public void A_group_that_does_not_fit_is_refused_and_changes_nothing(int length)
    {
        using LogWriter writer = _log.Open([]);
        Assert.That(() => writer.Append(new byte[length]), Throws.InstanceOf<ArgumentOutOfRangeException>());
        writer.Append([1, 2, 3]);
        writer.Sync();
        Assert.That(_log.Read(), Is.EqualTo(new[] { new byte[] { 1, 2, 3 } }));
    }

    [Test]
    public void Reading_writes_nothing()
    {
        _log.Write(100, 5000);
        Damage(_log.PathOf(1), Block, 200);
        byte[] before = File.ReadAllBytes(_log.PathOf(1));
        List<byte[]> first = _log.Read(), second = _log.Read();
        Assert.That((first.Count, second.Count), Is.EqualTo((1, 1)));
        Assert.That(File.ReadAllBytes(_log.PathOf(1)), Is.EqualTo(before));
    }

    [Test]
    public void A_damaged_block_of_the_last_group_ends_the_log_before_it([Range(0, 2)] int block)
    {
        List<byte[]> written = _log.Write(10, 10, 3 * Payload);
        Damage(_log.PathOf(1), (2 + block) * Block, 100);
        TestBytes.AssertEqual(_log.Read(), written[..2], $"block {block}");
    }

    [Test]
    [Category("Heavy")]
    public void Damage_before_a_durable_group_is_an_error_that_names_the_block(
        [Range(0, 7)] int block, [Values(0, 4, 8, 17, 33, 47, 60, 4095)] int at) => AssertDamageIsNamed(block, at);

    [Test]
    [Sequential]
    public void Damage_somewhere_in_each_block_before_a_durable_group_is_an_error_that_names_the_block(
        [Range(0, 7)] int block, [Values(0, 4, 8, 17, 33, 47, 60, 4095)] int at) => AssertDamageIsNamed(block, at);

    [Test]
    public void A_segment_lost_between_others_is_an_error()
    {
        _log.Write([.. Enumerable.Repeat(4 * Payload, 12)]);
        Assert.That(_log.Folder().Segments(), Is.EqualTo(new uint[] { 1, 2, 3 }));
        File.Delete(_log.PathOf(2));
        Assert.That(() => _log.Read(), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    public void Damage_at_the_end_of_a_segment_is_an_error_if_the_log_goes_on_in_the_next()
    {
        _log.Write([.. Enumerable.Repeat(4 * Payload, 5)]);
        Assert.That(_log.Folder().Segments(), Is.EqualTo(new uint[] { 1, 2 }));
        Damage(_log.PathOf(1), 13 * Block, 1);
        Assert.That(() => _log.Read(), Throws.TypeOf<IndexCorruptException>().With.Property("Page").EqualTo(12));
    }

    [Test]
    public void A_segment_that_was_cut_is_an_error([Values(0, 1, Block, (5 * Block) + 17, (LogFiles.SegmentBlocks * Block) - 1)] int length)
    {
        _log.Write(10, 10);
        using (FileStream file = File.OpenWrite(_log.PathOf(1)))
            file.SetLength(length);
        Assert.That(
            () => _log.Read(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"{LogFiles.SegmentBlocks * Block}"));
    }

    [Test]
    public void Groups_after_a_torn_end_are_not_taken_for_lost_ones()
    {
        // A process writes groups without a sync; the first is lost, the second is not.
        using (LogWriter writer = _log.Open([]))
        {
            writer.Append([1]);
            writer.Sync();
            writer.Append([2]);
            writer.Append([3]);
        }

        Damage(_log.PathOf(1), Block, 1);
        List<byte[]> found = [];
        using (LogWriter writer = _log.Open(found))
        {
            Assert.That(found, Is.EqualTo(new[] { new byte[] { 1 } }));
            Assert.That(writer.LastGroup, Is.EqualTo(3), "numbers of lost groups are not reused");
            writer.Append([4]);
            writer.Sync();
        }

        Assert.That(_log.Read(), Is.EqualTo(new[] { new byte[] { 1 }, [4] }), "the block of group 3 lies after the end, and is not read");
    }

    [Test]
    public void A_log_of_another_identity_is_not_read()
    {
        _log.Write(10);
        using var reader = new LogReader(new LogFolder(_log.Directory, LogFiles.LogId + 1, _log.Folder().Io, LogFiles.SegmentBlocks));
        Assert.That(reader.Read(LogPosition.Start, (_, _) => Assert.Fail("no group has this identity")), Is.EqualTo(LogPosition.Start));
    }

    private void AssertDamageIsNamed(int block, int at)
    {
        _log.Write(10, 2 * Payload, 10, 3 * Payload, 10, 10);
        Damage(_log.PathOf(1), (block * Block) + at, 1);

        // A group is named by its first block; groups begin at 0, 1, 3, 4 and 7.
        int first = block is 2 ? 1 : block is 5 or 6 ? 4 : block;
        Assert.That(
            () => _log.Read(),
            Throws.TypeOf<IndexCorruptException>().With.Property("Page").EqualTo(first).And.Property("File").EqualTo(_log.PathOf(1)));
    }

    private static void Damage(string path, int offset, int bytes)
    {
        using FileStream file = File.Open(path, FileMode.Open);
        byte[] content = new byte[bytes];
        file.Position = offset;
        file.ReadExactly(content);
        for (int i = 0; i < bytes; i++)
            content[i] ^= 0x5a;
        file.Position = offset;
        file.Write(content);
    }
}
