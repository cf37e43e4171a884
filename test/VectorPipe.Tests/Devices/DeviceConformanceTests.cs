using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices;

/// <summary>The promises of every device.</summary>
[TestFixtureSource(typeof(DeviceUnderTest), nameof(DeviceUnderTest.All))]
[NonParallelizable]
internal sealed partial class DeviceConformanceTests(DeviceUnderTest underTest)
{
    private const int Block = QueueHarness.BlockSize;
    private const int FileLength = (1 << 20) + 1000;
    private PatternFile _file = null!;
    private IDevice _device = null!;

    [OneTimeSetUp]
    public void CreateFile() => _file = new PatternFile(FileLength);

    [OneTimeTearDown]
    public void DeleteFile() => _file.Dispose();

    [SetUp]
    public void OpenDevice() => _device = underTest.Open(_file.Path);

    [TearDown]
    public void CloseDevice() => _device?.Dispose();

    [Test]
    public void Length_is_that_of_the_file() => Assert.That(_device.LengthOf(0), Is.EqualTo(FileLength));

    [Test]
    public void Reads_at_random_offsets_bring_the_bytes_of_their_positions()
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");
        Random random = new(seed);
        using QueueHarness harness = new(_device, 32);
        for (int slot = 0; slot < 32; slot++)
            harness.Enqueue(slot, random.Next(255) * Block, Block * random.Next(1, 3));
        for (int total = 0; total < 2000;)
        {
            int count = harness.Queue.Reap(harness.Done, 1, QueueHarness.Patience);
            Assert.That(count, Is.GreaterThan(0));
            for (int i = 0; i < count; i++, total++)
            {
                DeviceRead read = harness.Done[i];
                Assert.That(read.Result, Is.EqualTo(read.Length));
                harness.AssertBytes(read);
                harness.Enqueue(read.Slot, random.Next(255) * Block, Block * random.Next(1, 3));
            }
        }
    }

    [Test]
    public void A_full_queue_refuses_and_does_not_change_the_read()
    {
        using QueueHarness harness = new(_device, 5);
        for (int slot = 0; slot < 5; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        TestRead refused = harness.Prepare(5, 0, Block);
        Assert.That(harness.Queue.TryEnqueue(refused), Is.False);
        Assert.That(harness.Queue.InFlight, Is.EqualTo(5));
        Assert.That(harness.ReapAll(), Is.EqualTo(5));
        Assert.That(refused.Result, Is.EqualTo(int.MinValue));
        harness.AssertBytes(refused);
        Assert.That(harness.Queue.Counters, Has.Property("Reads").EqualTo(5).And.Property("HighWater").EqualTo(5));
    }

    [Test]
    public void Every_read_is_handed_back_exactly_once()
    {
        const int rounds = 500;
        using QueueHarness harness = new(_device, 16);
        int accepted = 0;
        int returned = 0;
        for (int round = 0; round < rounds; round++)
        {
            for (int slot = 0; slot < 16; slot++)
            {
                if (harness.Reads[slot].HandedBack < round)
                    continue;
                harness.Enqueue(slot, (round + slot) % 250 * Block, Block);
                accepted++;
            }

            harness.Queue.Submit();
            returned += harness.ReapAll();
        }

        Assert.That(accepted, Is.EqualTo(16 * rounds));
        Assert.That(returned, Is.EqualTo(accepted));
        Assert.That(harness.Reads.Take(16).Select(r => r.HandedBack), Is.All.EqualTo(rounds));
        DeviceCounters counters = harness.Queue.Counters;
        Assert.That(counters, Has.Property("Reads").EqualTo(accepted).And.Property("Completions").EqualTo(accepted));
        Assert.That(counters.BytesRead, Is.EqualTo((long)accepted * Block));
        Assert.That(counters.StrayCompletions, Is.Zero);
    }

    [Test]
    public void Reap_fills_no_more_than_the_span_and_keeps_the_rest()
    {
        using QueueHarness harness = new(_device, 8);
        for (int slot = 0; slot < 8; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        Assert.That(harness.Queue.Reap(harness.Done.AsSpan(0, 3), 8, QueueHarness.Patience), Is.EqualTo(3));
        Assert.That(harness.Queue.InFlight, Is.EqualTo(5));
        Assert.That(harness.ReapAll(), Is.EqualTo(5));
    }

    [Test]
    public void Reap_without_waiting_gets_everything_in_the_end()
    {
        using QueueHarness harness = new(_device, 8);
        for (int slot = 0; slot < 8; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        harness.Queue.Submit();
        int total = 0;
        SpinWait.SpinUntil(() => (total += harness.Queue.Reap(harness.Done, 0, default)) == 8, QueueHarness.Patience);
        Assert.That(total, Is.EqualTo(8));
        Assert.That(harness.Queue.InFlight, Is.Zero);
    }

    [Test]
    public void Reap_with_nothing_in_flight_returns_at_once()
    {
        using QueueHarness harness = new(_device, 4);
        Assert.That(harness.Queue.Reap(harness.Done, 4, TimeSpan.FromMinutes(1)), Is.Zero);
    }

    [Test]
    public void A_read_across_the_end_of_the_file_is_short()
    {
        using QueueHarness harness = new(_device, 1);
        harness.Enqueue(0, FileLength / Block * Block, Block);
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
        Assert.That(harness.Reads[0].Result, Is.EqualTo(FileLength % Block));
        Assert.That(harness.Buffer(0)[..1000].ToArray(), Is.EqualTo(PatternFile.Bytes(FileLength)[^1000..]));
        Assert.That(harness.Buffer(0)[Block..].ToArray(), Is.All.EqualTo(QueueHarness.Poison));
    }

    [Test]
    public void A_read_after_the_end_of_the_file_gives_nothing()
    {
        using QueueHarness harness = new(_device, 1);
        harness.Enqueue(0, ((FileLength / Block) + 1) * Block, Block);
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
        Assert.That(harness.Reads[0].Result, Is.Zero);
        harness.AssertBytes(harness.Reads[0]);
    }

    [TestCase(1, 0, 0)]
    [TestCase(0, 1, 0)]
    [TestCase(0, 0, 1)]
    public void A_misaligned_read_is_refused_or_served_where_any_alignment_works(int offset, int length, int address)
    {
        using QueueHarness harness = new(_device, 2);
        TestRead read = harness.Prepare(0, 8192 + offset, Block + length);
        read.Address += address;
        if (_device.Alignment == 1)
        {
            Assert.That(harness.Queue.TryEnqueue(read), Is.True);
            Assert.That(harness.ReapAll(), Is.EqualTo(1));
            Assert.That(read.Result, Is.EqualTo(Block + length));
            for (int i = 0; i < read.Result; i++)
                Assert.That(harness.Buffer(0)[address + i], Is.EqualTo(PatternFile.ByteAt(read.Offset + i)), $"byte {i}");
            return;
        }

        Assert.That(() => harness.Queue.TryEnqueue(read), Throws.ArgumentException.With.Message.Contains("slot 0"));
        Assert.That(harness.Queue.InFlight, Is.Zero);
        Assert.That(read.Result, Is.EqualTo(int.MinValue));
    }

    [TestCase(-4096L, 4096, 0)]
    [TestCase(0L, 0, 0)]
    [TestCase(0L, -4096, 0)]
    [TestCase(long.MaxValue - 4095, 8192, 0)]
    [TestCase(0L, 4096, -4096)]
    [TestCase(0L, 3 * 8192, 0)]
    public void A_read_out_of_range_is_refused(long offset, int length, int address)
    {
        using QueueHarness harness = new(_device, 1);
        TestRead read = harness.Prepare(0, offset, length);
        read.Address += address;
        Assert.That(() => harness.Queue.TryEnqueue(read), Throws.ArgumentException);
        Assert.That(harness.Queue.Counters.Reads, Is.Zero);
    }

    [Test]
    public void Disposal_with_reads_in_flight_gets_them_back()
    {
        for (int round = 0; round < 20; round++)
        {
            using QueueHarness harness = new(_device, 64);
            for (int slot = 0; slot < 64; slot++)
                harness.Enqueue(slot, slot * Block, Block);
            if (round % 2 == 0)
                harness.Queue.Submit();
            harness.Queue.Dispose();
            Assert.That(harness.Queue.BuffersMayBeWritten, Is.False);
        }
    }

    [Test]
    public void A_disposed_queue_refuses_every_use()
    {
        using QueueHarness harness = new(_device, 1);
        harness.Queue.Dispose();
        Assert.That(() => harness.Queue.Dispose(), Throws.Nothing);
        Assert.That(() => harness.Queue.TryEnqueue(harness.Prepare(0, 0, Block)), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => harness.Queue.Submit(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => harness.Queue.Reap(harness.Done, 1, QueueHarness.Patience), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void A_device_is_not_disposed_under_its_queues()
    {
        using (QueueHarness harness = new(_device, 1))
        {
            Assert.That(_device.Dispose, Throws.InvalidOperationException);
            harness.Enqueue(0, 0, Block);
            Assert.That(harness.ReapAll(), Is.EqualTo(1));
        }

        _device.Dispose();
        Assert.That(_device.Dispose, Throws.Nothing);
        Assert.That(() => _device.OpenQueue(new DeviceQueueOptions { Capacity = 1 }), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void Another_thread_is_refused()
    {
        using QueueHarness harness = new(_device, 1);
        harness.Enqueue(0, 0, Block);
        Exception? enqueue = null;
        Exception? reap = null;
        Exception? dispose = null;
        Thread stranger = new(() =>
        {
            enqueue = Catch(() => harness.Queue.TryEnqueue(harness.Reads[1]));
            reap = Catch(() => harness.Queue.Reap(harness.Done, 1, QueueHarness.Patience));
            dispose = Catch(harness.Queue.Dispose);
        });
        stranger.Start();
        stranger.Join();
        Assert.That(new[] { enqueue, reap, dispose }, Is.All.TypeOf<InvalidOperationException>());
        Assert.That(harness.ReapAll(), Is.EqualTo(1));

        static Exception? Catch(Action action)
        {
            try
            {
                action();
                return null;
            }
            catch (InvalidOperationException e)
            {
                return e;
            }
        }
    }

    [Test]
    public void A_queue_may_be_opened_on_one_thread_and_used_on_another()
    {
        using QueueHarness harness = new(_device, 4);
        Thread user = new(() =>
        {
            harness.Enqueue(0, 0, Block);
            harness.ReapAll();
            harness.Queue.Dispose();
        });
        user.Start();
        user.Join();
        Assert.That(harness.Reads[0].HandedBack, Is.EqualTo(1));
    }

    [Test]
    public void Many_queues_work_side_by_side()
    {
        Thread[] threads = new Thread[4];
        int[] totals = new int[threads.Length];
        for (int t = 0; t < threads.Length; t++)
        {
            int index = t;
            threads[t] = new Thread(() =>
            {
                using QueueHarness harness = new(_device, 8);
                for (int round = 0; round < 50; round++)
                {
                    for (int slot = 0; slot < 8; slot++)
                        harness.Enqueue(slot, ((index * 50) + round) % 250 * Block, Block);
                    totals[index] += harness.ReapAll();
                    harness.AssertBytes(harness.Reads[round % 8]);
                }
            });
            threads[t].Start();
        }

        foreach (Thread thread in threads)
            thread.Join();
        Assert.That(totals, Is.All.EqualTo(400));
    }

    [TestCase(0)]
    [TestCase(-1)]
    [TestCase(32_769)]
    public void A_capacity_out_of_range_is_refused(int capacity)
    {
        Assert.That(() => _device.OpenQueue(new DeviceQueueOptions { Capacity = capacity }), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(_device.Dispose, Throws.Nothing);
    }

    [Test]
    public void The_largest_capacity_works()
    {
        using IDeviceQueue queue = _device.OpenQueue(new DeviceQueueOptions { Capacity = DeviceOptions.MaxQueueDepth });
        using NativeBuffer buffer = new(Block);
        unsafe
        {
            Assert.That(queue.TryEnqueue(new TestRead(0) { Address = (nint)buffer.Pointer, Length = Block }), Is.True);
        }

        Assert.That(queue.Reap(new DeviceRead[1], 1, QueueHarness.Patience), Is.EqualTo(1));
    }
}
